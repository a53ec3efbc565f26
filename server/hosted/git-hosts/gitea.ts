import * as z from "zod";
import type { GitHost } from "./git-host.ts";
import { GitHubRepository, GitHubUser, toListed } from "./github.ts";
import { type HostClient, HostRefusal } from "./host-client.ts";
import { listAll, readAll } from "./listing.ts";
import { readPerson } from "./person.ts";

/** Gitea's and Forgejo's API has GitHub's fields, `size` in KB as well. */
const Repository = GitHubRepository.extend({ empty: z.boolean().default(false) });

/** A team of a repository. Versions before 1.16 have no `units_map`; a team may have the issues without the code. */
const Team = z.object({
  id: z.int(),
  units: z.array(z.string()).nullish(),
  units_map: z.record(z.string(), z.string()).nullish(),
});
const needs =
  "the right to see who may read a repository: read:repository and read:organization, of an owner of the organization";

/**
 * Gitea and Forgejo: an organization, or a person. `X-Total-Count` also counts repositories whose code the token may not
 * read, which the list omits, so it does not show whether the list is complete.
 */
export function createGitea(client: HostClient): GitHost {
  // A team has many repositories, and an account all of them.
  const teams = new Map<number, Promise<string[]>>();
  const owners = new Map<string, Promise<string | undefined>>();

  async function membersOf(team: number, signal: AbortSignal): Promise<string[]> {
    const members = await readUsers(`/teams/${team}/members?limit=50`, signal);
    if (members !== undefined) return members;
    // https://github.com/go-gitea/gitea/blob/main/routers/api/v1/api.go: to others, a team does not exist.
    throw new HostRefusal("RepositoryFailed", `${client.host} does not show the members of a team to the token`, {
      hint: `the token needs ${needs}`,
    });
  }

  /** Undefined: an organization, whose owners are a team. */
  async function findOwner(account: string, signal: AbortSignal): Promise<string | undefined> {
    if ((await client.read(z.unknown(), `/orgs/${account}`, { needs, signal })) !== undefined) return undefined;
    return (await client.read(GitHubUser, `/users/${account}`, { needs, signal }))?.data.id;
  }

  const readUsers = (address: string, signal: AbortSignal) =>
    readAll(client, address, {
      schema: z.array(GitHubUser),
      itemsOf: (users) => users.map(({ id }) => id),
      needs,
      signal,
    });

  return {
    list(account, { signal }) {
      const name = encodeURIComponent(account);
      return listAll(client, {
        account,
        addresses: [`/orgs/${name}/repos?limit=50`, `/users/${name}/repos?limit=50`],
        schema: z.array(Repository),
        readPage: ({ data }) => ({
          repositories: data.map((one) => ({ ...toListed(one), isEmpty: one.empty })),
          total: undefined,
        }),
        signal,
      });
    },
    /** Collaborators, the owner of a person's repository, and the teams that have its code. */
    async readersOf(repository, { signal }) {
      const [account = "", name = ""] = repository.split("/").map(encodeURIComponent);
      const ids = await readUsers(`/repos/${account}/${name}/collaborators?limit=50`, signal);
      if (ids === undefined) return undefined;
      const owner = await remember(owners, account, () => findOwner(account, signal));
      if (owner !== undefined) return new Set([...ids, owner]);
      const found = await readAll(client, `/repos/${account}/${name}/teams?limit=50`, {
        schema: z.array(Team),
        itemsOf: (several) => several.filter(readsCode).map(({ id }) => id),
        needs,
        signal,
      });
      for (const team of found ?? []) ids.push(...(await remember(teams, team, () => membersOf(team, signal))));
      return new Set(ids);
    },
    person: ({ signal }) => readPerson(client, { schema: GitHubUser, signal }),
  };
}

function readsCode({ units, units_map: map }: z.infer<typeof Team>): boolean {
  return map == null ? (units ?? []).includes("repo.code") : (map["repo.code"] ?? "none") !== "none";
}

async function remember<Key, Value>(
  known: Map<Key, Promise<Value>>,
  key: Key,
  read: () => Promise<Value>,
): Promise<Value> {
  const value = known.get(key) ?? read();
  known.set(key, value);
  return value;
}
