import type * as z from "zod";
import { CitewellError } from "../../errors.ts";
import {
  type AdminInput,
  adminMethods,
  type AdminName,
  type AdminOutput,
  type Project,
  ProjectChoice,
} from "../../protocol/hosted.ts";
import { PlaceForm } from "../../protocol/followed-forms.ts";
import { describeIssues } from "../../protocol/validation.ts";
import { findFollowed, followAccount, listFollowedStates, requestRun, unfollowAccount } from "../following/accounts.ts";
import { retryFailed } from "../jobs/held.ts";
import { readLimitSets, readUsage, setLimits } from "../limits/project-limits.ts";
import { addGitToken, listGitTokens, removeGitToken, replaceGitToken } from "../secrets/git-tokens.ts";
import { rotateSecrets } from "../secrets/reseal.ts";
import type { SealingKeys } from "../secrets/sealing-keys.ts";
import { createWebhook, removeWebhook } from "../secrets/webhooks.ts";
import type { Store } from "../store/store.ts";
import { recordAudit } from "../tenants/audit.ts";
import { rotateKey } from "../tenants/key-rotation.ts";
import { createKey, listKeys, revokeKey } from "../tenants/keys.ts";
import { createOwnerLink, linkPath } from "../tenants/links.ts";
import { createPasswordLink } from "../tenants/password-links.ts";
import { createProject, findProject, listProjects } from "../tenants/projects.ts";

/** What the operator's methods need besides the database. */
export interface AdminOptions {
  /** Open the sealed secrets of the projects. */
  keys: SealingKeys;
  /** The address of the service, if it runs in this process. */
  url?: string;
}

/** What a method works with. */
interface Call {
  store: Store;
  keys: SealingKeys;
  /** The project that the input names. @throws ProjectNotFound */
  project(): Promise<Project>;
  /** Adds the whole address, if it is known. */
  locate<Place extends { path: string }>(place: Place): Place & { url?: string };
}

const actor = "operator";

const effects: {
  [Name in AdminName]: (input: AdminInput<Name>, call: Call) => Promise<AdminOutput<Name>>;
} = {
  createProject: ({ name }, { store }) => createProject(store, name),
  listProjects: async (_input, { store }) => ({ projects: await listProjects(store) }),
  async createKey({ name, scopes, resources, days }, call) {
    const project = await call.project();
    return { ...(await createKey(call.store, project, { name, scopes, resources, days })), project: project.name };
  },
  listKeys: async (_input, { store, project }) => ({ keys: await listKeys(store, await project()) }),
  async rotateKey({ key, overlapDays }, call) {
    const project = await call.project();
    const overlap = overlapDays === undefined ? {} : { overlapHours: Math.round(overlapDays * 24) };
    return { ...(await rotateKey(call.store, project, key, { actor, ...overlap })), project: project.name };
  },
  revokeKey: async ({ key }, { store, project }) => revokeKey(store, await project(), key),
  async setLimits({ limits }, { store, project }) {
    const { id, name } = await project();
    if (Object.keys(limits).length > 0) {
      await setLimits(store, id, limits);
      await store.asProject(id, (queries) =>
        recordAudit(queries, id, { actor, action: "limits.changed", target: name, detail: limits }),
      );
    }
    const { operator, own } = await readLimitSets(store, id);
    return { project: name, limits: operator, ownLimits: own, usage: await readUsage(store, id) };
  },
  async createOwnerLink(_input, { store, project, locate }) {
    const { id, name } = await project();
    const { token, expiresAt } = await createOwnerLink(store, { id });
    return locate({ project: name, path: linkPath(token), expiresAt });
  },
  async createPasswordLink({ email }, { store, locate }) {
    const { token, expiresAt } = await createPasswordLink(store, email);
    return locate({ email, path: `/password/${token}`, expiresAt });
  },
  addGitToken: async ({ host, name, username, token }, { store, keys, project }) =>
    addGitToken({ store, keys, project: await project(), actor }, { host, name, username, token }),
  replaceGitToken: async (token, { store, keys, project }) =>
    replaceGitToken({ store, keys, project: await project(), actor }, token),
  listGitTokens: async (_input, { store, project }) => ({ tokens: await listGitTokens(store, await project()) }),
  removeGitToken: async ({ host }, { store, project }) =>
    removeGitToken({ store, project: await project(), actor }, host),
  async followAccount({ kind, place, group = "", filters, addsLimited = false }, { store, project }) {
    const parsed = PlaceForm.safeParse({ kind, place, group });
    if (!parsed.success) throw new CitewellError("InvalidRequest", describeIssues(parsed.error, { place, group }));
    const services = { store, project: await project(), actor };
    const { host, account } = await followAccount(services, { ...parsed.data, filters, addsLimited });
    return findFollowed(store, services.project, `${host}/${account}`);
  },
  listFollowed: async (_input, { store, project }) => ({ accounts: await listFollowedStates(store, await project()) }),
  async runFollowed({ place }, { store, project }) {
    const owner = await project();
    const followed = await findFollowed(store, owner, place);
    await requestRun(store, owner, followed.id);
    await retryFailed(store, owner.id, { followed: followed.id });
    return findFollowed(store, owner, place);
  },
  async unfollowAccount({ place, removesResources = false }, { store, project }) {
    const services = { store, project: await project(), actor };
    const followed = await findFollowed(store, services.project, place);
    await unfollowAccount(services, { id: followed.id, removesResources });
    return followed;
  },
  createWebhook: async (_input, { store, keys, project, locate }) =>
    locate(await createWebhook(store, { keys, project: await project(), actor })),
  async removeWebhook(_input, call) {
    const project = await call.project();
    await removeWebhook(call.store, { project, actor });
    return { project: project.name };
  },
  rotateSecrets: (_input, { store, keys }) => rotateSecrets(store, keys),
};

const methods: { [Name in AdminName]: { input: z.ZodType<AdminInput<Name>> } } = adminMethods;

/** The operator's methods over a store. Inputs are checked: they may come from another process. */
export function createAdmin(
  store: Store,
  { url, keys }: AdminOptions,
): <Name extends AdminName>(method: Name, input: unknown) => Promise<AdminOutput<Name>> {
  return async (method, raw) => {
    const { success, data: input, error } = methods[method].input.safeParse(raw);
    if (!success) throw new CitewellError("InvalidRequest", describeIssues(error, raw));
    const { project: name } = ProjectChoice.parse(input);
    return effects[method](input, {
      store,
      keys,
      project: () => findProject(store, name),
      locate: (place) => (url === undefined ? place : { ...place, url: url + place.path }),
    });
  };
}
