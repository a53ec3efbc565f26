import { ask } from "./ask.ts";
import { clear } from "./clear.ts";
import { compare } from "./compare.ts";
import { getConfig, getConfigFiles, reloadConfig } from "./configuration.ts";
import type { Implementations } from "./context.ts";
import { addResource, addResourceTo, removeResource, updateResource } from "./edit-resources.ts";
import { findFiles } from "./find-files.ts";
import { followUps } from "./follow-ups.ts";
import { history } from "./git-history.ts";
import { listBranches } from "./list-branches.ts";
import { listDependencies } from "./list-dependencies.ts";
import { listFiles } from "./list-files.ts";
import { listResources } from "./list-resources.ts";
import { connectProvider, disconnectProvider, listModels, listProviders, signIn } from "./providers.ts";
import { prepare } from "./prepare.ts";
import { question } from "./question.ts";
import { read } from "./read.ts";
import { recheckThread } from "./recheck-thread.ts";
import { refreshResource } from "./refresh-resource.ts";
import { search } from "./search.ts";
import { upgrade } from "./upgrade.ts";
import { setModel } from "./set-model.ts";
import { deleteThread, getThread, listThreads } from "./threads.ts";
import { verify } from "./verify.ts";

/** The implementation of each operation; a missing one does not compile. */
export const implementations = {
  ask,
  question,
  getConfig,
  getConfigFiles,
  setModel,
  reloadConfig,
  clear,
  prepare,
  search,
  history,
  upgrade,
  compare,
  followUps,
  findFiles,
  verify,
  listProviders,
  listResources,
  addResource,
  addResourceTo,
  removeResource,
  updateResource,
  refreshResource,
  listBranches,
  listDependencies,
  read,
  listFiles,
  listModels,
  connectProvider,
  signIn,
  disconnectProvider,
  listThreads,
  getThread,
  deleteThread,
  recheckThread,
} satisfies Implementations;
