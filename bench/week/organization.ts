import { rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type GitHubApi, createGitHubApi } from "../../test/support/github-api.ts";
import { type GitServer, startGitServer } from "../../test/support/git-server.ts";

/** The people of the team, with what lets them use limited repositories. */
export const people = ["owner", "admin", "byHand", "byHost", "none"] as const;
export type Person = (typeof people)[number];

/** The number of a person's account at the git host. */
export const hostIds = { byHost: 11 } as const;

/** A repository with two words of its own: one to ask for, and one that only those may read who may use it. */
export interface Repository {
  /** `acme-017`, also the name of its resource. */
  name: string;
  /** `Acme/acme-017`; another one after it was renamed. */
  fullName: string;
  asked: string;
  secret: string;
  /** The members who may use it, besides owners and admins. */
  readers: Set<Person>;
}

/** Two accounts of a git host on loopback with GitHub's API: for `Acme` the host decides who reads, for `Tools` admins do. */
export interface Organization extends AsyncDisposable {
  git: GitServer;
  github: GitHubApi;
  repositories: Map<string, Repository>;
  /** A new repository, or its next commit. */
  commit(repository: Repository, text: string): Promise<void>;
  /** A new repository at the end of its account's list. */
  add(account: "Acme" | "Tools", index: number, readers: readonly Person[]): Promise<Repository>;
  /** Gives a repository of Acme another name, as the host lists it. */
  rename(repository: Repository): Promise<void>;
  /** Removes the newest repository of Tools. */
  removeLast(): Promise<Repository>;
  /** Whether the host answers; connections are cut while it does not. */
  isAway: boolean;
}

const installations = { Acme: 7, Tools: 8 } as const;

/** Two thirds are Acme's, one third Tools'. */
export interface Sizes {
  acme: number;
  tools: number;
  /** Of Tools: the first ones, which the version before had; those before these for all; and those for one member. */
  early: number;
  open: number;
  byHand: number;
}

export function sizesOf(count: number): Sizes {
  const tools = Math.round(count / 3);
  const share = (part: number) => Math.round(tools * part);
  return { acme: count - tools, tools, early: share(0.2), open: share(0.6), byHand: share(0.9) };
}

/** Creates the repositories. @param options.callback where the host sends people back to */
export async function startOrganization(sizes: Sizes, { callback }: { callback: string }): Promise<Organization> {
  const git = await startGitServer();
  const github = createGitHubApi({ origin: git.origin, callback: () => callback });
  const repositories = new Map<string, Repository>();
  const own: Organization = {
    git,
    github,
    repositories,
    isAway: false,
    async commit({ fullName, name, asked, secret }, text) {
      await git.commit(fullName, {
        "README.md": `# ${name}\n\n${text}\n`,
        "src/vault.ts": `/** Opens for whoever knows ${asked}. */\nexport const ${asked} = "${secret}";\n`,
      });
    },
    async add(account, index, readers) {
      const name = `${account.toLowerCase()}-${String(index).padStart(3, "0")}`;
      const letters = lettersOf(account === "Acme" ? index : 1000 + index);
      const repository: Repository = {
        name,
        fullName: `${account}/${name}`,
        asked: `ask${letters}`,
        secret: `val${letters}`,
        readers: new Set(readers),
      };
      await own.commit(repository, "The first text.");
      repositories.set(name, repository);
      installationOf(account).repositories.push(name);
      if (account === "Acme") github.collaborators.set(repository.fullName, collaboratorsOf(repository));
      return repository;
    },
    async rename(repository) {
      const { fullName } = repository;
      const listed = installationOf("Acme").repositories;
      repository.fullName = `${fullName}-renamed`;
      listed.splice(listed.indexOf(fullName.slice(5)), 1, repository.fullName.slice(5));
      github.collaborators.delete(fullName);
      github.collaborators.set(repository.fullName, collaboratorsOf(repository));
      await own.commit(repository, "The text under a new name.");
    },
    async removeLast() {
      const name = installationOf("Tools").repositories.pop() ?? "";
      const removed = repositories.get(name);
      if (removed === undefined) throw new RangeError("Tools has no repository");
      repositories.delete(name);
      const folder = (await git.git(removed.fullName, ["rev-parse", "--absolute-git-dir"])).trim();
      await rm(folder, { recursive: true });
      return removed;
    },
    [Symbol.asyncDispose]: () => git[Symbol.asyncDispose](),
  };
  const installationOf = (account: "Acme" | "Tools") => {
    const found = github.installations.find(({ id }) => id === installations[account]);
    if (found === undefined) throw new RangeError(`${account} is not installed`);
    return found;
  };
  git.intercept((request, response) => answer(request, response, own));
  github.installations = Object.entries(installations).map(([account, id]) => ({ id, account, repositories: [] }));
  for (let index = 0; index < sizes.acme; index++) await own.add("Acme", index, index % 2 === 0 ? ["byHost"] : []);
  for (let index = 0; index < sizes.tools; index++) await own.add("Tools", index, readersOfTool(index, sizes));
  return own;
}

/** As the host lists them: other people of the account, and the one who uses the service. */
export function collaboratorsOf({ readers }: Repository): number[] {
  return [101, 102, 103, ...(readers.has("byHost") ? [hostIds.byHost] : [])];
}

function readersOfTool(index: number, { open, byHand }: Sizes): Person[] {
  if (index < open) return ["byHand", "byHost", "none"];
  return index < byHand ? ["byHand"] : [];
}

/** Four letters, different for each number below 26⁴, and no prefix of a word. */
function lettersOf(number: number): string {
  // A multiplier that is prime to 26⁴ spreads neighbours.
  let rest = (number * 77_773 + 12_345) % 26 ** 4;
  let letters = "";
  for (let place = 0; place < 4; place++) {
    letters += String.fromCodePoint(97 + (rest % 26));
    rest = Math.floor(rest / 26);
  }
  return letters;
}

/** GitHub's API, and git for those with a token of the installation. */
async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { github, isAway }: Organization,
): Promise<boolean> {
  if (isAway) {
    response.destroy();
    return true;
  }
  if (await github.answer(request, response)) return true;
  const [, repository = ""] = /^\/([\w-]+\/[\w-]+)/.exec(request.url ?? "") ?? [];
  if (github.mayRead(request, repository)) return false;
  response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
  return true;
}
