import { existsSync } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import { CitewellError } from "../../../errors.ts";
import type { GitResult } from "../git-call.ts";
import { gitEnvironment, type GitSetting, readTrustedFolders } from "../git-environment.ts";
import type { GitRunner } from "../run-git.ts";
import { type CommitGraphs, openCommitGraph } from "./commit-graph.ts";
import {
  type HistoryRepository,
  type HistoryRun,
  isMissing,
  readingSettings,
  readingVariables,
} from "./history-repository.ts";

/** What git needs on this computer. */
export interface LocalHistoryOptions {
  runner: GitRunner;
  /** The user's environment: git is found in its PATH. */
  environment: Readonly<Record<string, string>>;
  /** A path of the folder: the history is that of the innermost repository around it, such as a submodule. */
  below?: string | undefined;
  graphs: CommitGraphs;
  signal: AbortSignal;
}

const lookMs = 10_000;

/**
 * The history of the repository that a folder is in.
 * @throws RepositoryNotFound (there is none, or it has no commit), RepositoryFailed (git refuses it), ToolMissing,
 * RepositoryTimeout
 */
export async function openLocalHistory(
  folder: string,
  { runner, environment: user, below = "", graphs, signal }: LocalHistoryOptions,
): Promise<HistoryRepository> {
  const real = await realpath(folder);
  const root = (await stat(real)).isDirectory() ? real : path.dirname(real);
  // Then the repository's root, which git's paths are relative to.
  let directory = await existingFolder(root, below);
  const environmentWith = (more: readonly GitSetting[]) => ({
    ...gitEnvironment(user, { settings: [...readingSettings, ...more] }),
    ...readingVariables,
  });
  let environment = environmentWith([]);
  const run = async (args: readonly string[], { timeMs, signal, input, onOutput }: HistoryRun) => {
    const limits = { silentMs: timeMs, totalMs: timeMs };
    const call = { directory, environment, purpose: "reading history", limits, signal, input, onOutput };
    const result = await runner.run(args, call);
    if (result.code !== 0 && isMissing(result.stderr)) throw incomplete(folder, result.stderr);
    return result;
  };
  const look = (args: readonly string[]) => run(args, { signal, timeMs: lookMs });
  const { code, stdout, stderr } = await lookFirst();
  const [top, isShallow, commonFolder = "", objects = ""] = stdout.split(/\r?\n/);
  if (code !== 0 || top === undefined || top === "") throw noRepository(folder, { root, errorOutput: stderr });
  directory = top;
  const { stdout: head } = await look(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
  const revision = head.trim();
  if (revision === "") {
    throw new CitewellError("RepositoryNotFound", `the repository of ${folder} has no commit yet`, {
      hint: "history begins with the first commit",
    });
  }
  const notes = [
    ...(isShallow === "true" ? [await shallowNote(look)] : []),
    ...((await hasReplacements(look, commonFolder)) ? [replacementNote] : []),
  ];
  const realTop = await realpath(top);
  const toRepository = (file: string) => slashed(path.relative(realTop, path.join(root, file)));
  const inside = toRepository("");
  const graph = await openCommitGraph({ runner, environment, directory: top, objects, revision, signal }, graphs);
  environment = { ...environment, ...graph.variables };
  return {
    revision,
    root: inside.startsWith("..") ? "" : inside,
    notes,
    isPartial: false,
    toRepository,
    toResource: (file) => slashed(path.relative(root, path.join(realTop, file))),
    run,
    [Symbol.asyncDispose]: () => graph[Symbol.asyncDispose](),
  };

  /** A repository of another user is read if the user's own git would read it. */
  async function lookFirst(): Promise<GitResult> {
    const result = await look(["rev-parse", ...repositoryFacts]);
    const trusted = isOfOther(result.stderr) ? await readTrustedFolders(runner, { user, signal }) : [];
    if (trusted.length === 0) return result;
    environment = environmentWith(trusted);
    return look(["rev-parse", ...repositoryFacts]);
  }
}

function isOfOther(errorOutput: string): boolean {
  return /dubious ownership/.test(errorOutput);
}

const repositoryFacts = [
  "--show-toplevel",
  "--is-shallow-repository",
  "--path-format=absolute",
  "--git-common-dir",
  "--git-path",
  "objects",
];

const replacementNote = "replaced and grafted commits are shown as they were made (git replace)";

/** Whether other commits are put in the place of some: https://git-scm.com/docs/git-replace */
async function hasReplacements(
  look: (args: readonly string[]) => Promise<{ stdout: string }>,
  commonFolder: string,
): Promise<boolean> {
  if (existsSync(path.join(commonFolder, "info", "grafts"))) return true;
  return (await look(["for-each-ref", "--count=1", "--format=%(refname)", "refs/replace"])).stdout !== "";
}

/** `history is cut at 2024-05-01: shallow clone (git fetch --unshallow fetches the rest)`. */
async function shallowNote(look: (args: readonly string[]) => Promise<{ stdout: string }>): Promise<string> {
  const { stdout } = await look(["log", "--max-parents=0", "--format=%as", "-n", "100"]);
  const [oldest] = stdout
    .split("\n")
    .filter((line) => line !== "")
    .toSorted();
  return `history is cut${oldest === undefined ? "" : ` at ${oldest}`}: shallow clone; git fetch --unshallow fetches the rest`;
}

/** The innermost folder on the way to a path that still exists, and is not a link out of the root. */
async function existingFolder(root: string, below: string): Promise<string> {
  for (let inside = below; inside !== "" && inside !== "."; inside = path.dirname(inside)) {
    const folder = await realpath(path.join(root, inside)).catch(() => "");
    const isInside = folder.startsWith(root + path.sep);
    if (isInside && (await stat(folder)).isDirectory()) return folder;
  }
  return root;
}

/** A partial clone may lack contents, which only its remote has. A question about a folder reaches no host. */
function incomplete(folder: string, errorOutput: string): CitewellError {
  const message = `contents of the history of ${folder} are not on disk: it is a partial clone`;
  const cause = new Error(errorOutput.trim());
  return new CitewellError("NotReadyYet", message, { hint: "run git fetch --refetch --no-filter in it", cause });
}

function noRepository(folder: string, { root, errorOutput }: { root: string; errorOutput: string }): CitewellError {
  const cause = new Error(errorOutput.trim());
  if (isOfOther(errorOutput)) {
    return new CitewellError(
      "RepositoryFailed",
      `git refuses the repository of ${folder}: it belongs to another user`,
      {
        hint: `open it as its owner, or trust it: git config --global --add safe.directory ${root}`,
        cause,
      },
    );
  }
  const isDamaged = existsSync(path.join(root, ".git"));
  if (/not a git repository/.test(errorOutput) && !isDamaged) {
    return new CitewellError("RepositoryNotFound", `${folder} is in no git repository, so it has no history`, {
      hint: "name a folder in a repository, or an https git URL",
      cause,
    });
  }
  const said = /^(?:fatal|error): (.*)$/m.exec(errorOutput)?.[1] ?? "no reason given";
  return new CitewellError("RepositoryFailed", `git could not read the repository of ${folder}: ${said}`, {
    hint: "run git status in it",
    cause,
  });
}

function slashed(file: string): string {
  return file.split(path.sep).join("/");
}
