import * as z from "zod";
import type { GitHost, ListedRepository } from "./git-host.ts";
import type { HostClient } from "./host-client.ts";
import { listAll, readAll } from "./listing.ts";
import { readPerson } from "./person.ts";

/** https://developer.atlassian.com/cloud/bitbucket/rest/api-group-repositories; `size` is in bytes, the ids are uuids. */
const Repository = z.object({
  uuid: z.string(),
  full_name: z.string(),
  is_private: z.boolean(),
  parent: z.unknown().optional(),
  mainbranch: z.object({ name: z.string() }).nullish(),
  size: z.number().nullish(),
  links: z.object({ clone: z.array(z.object({ name: z.string(), href: z.string() })) }),
});
const Page = z.object({ values: z.array(Repository), size: z.int().optional(), next: z.string().optional() });

/**
 * https://developer.atlassian.com/cloud/bitbucket/rest/api-group-workspaces/#api-workspaces-workspace-permissions-repositories-repo-slug-get:
 * the greatest right of each person, also through groups and projects.
 */
const Permissions = z.object({
  values: z.array(z.object({ permission: z.string(), user: z.object({ uuid: z.string() }) })),
  next: z.string().optional(),
});
const readers: ReadonlySet<string> = new Set(["read", "write", "admin"]);
const needs = "the right to see who may read a repository: of an administrator of the repository";
const User = z
  .object({ uuid: z.string(), display_name: z.string() })
  .transform((user) => ({ id: user.uuid, login: user.display_name }));

/** Bitbucket Cloud: a workspace. It has no archived repositories. */
export function createBitbucket(client: HostClient): GitHost {
  return {
    list: (account, { signal }) =>
      listAll(client, {
        account,
        addresses: [`/repositories/${encodeURIComponent(account)}?pagelen=100`],
        schema: Page,
        readPage: ({ data }) => ({ repositories: data.values.flatMap(toListed), total: data.size }),
        nextOf: ({ data }) => data.next,
        signal,
      }),
    async readersOf(repository, { signal }) {
      const [workspace = "", name = ""] = repository.split("/").map(encodeURIComponent);
      const ids = await readAll(client, `/workspaces/${workspace}/permissions/repositories/${name}?pagelen=100`, {
        schema: Permissions,
        itemsOf: ({ values }) => values.filter((one) => readers.has(one.permission)).map(({ user }) => user.uuid),
        nextOf: ({ data }) => data.next,
        needs,
        signal,
      });
      return ids && new Set(ids);
    },
    // https://developer.atlassian.com/cloud/bitbucket/rest/api-group-users/#api-user-get
    person: ({ signal }) => readPerson(client, { schema: User, signal }),
  };
}

function toListed({ links, size, ...repository }: z.infer<typeof Repository>): ListedRepository[] {
  const clone = links.clone.find(({ name }) => name === "https");
  if (clone === undefined || !URL.canParse(clone.href)) return [];
  const url = new URL(clone.href);
  // Bitbucket writes the user who asks into it.
  url.username = "";
  return [
    {
      id: repository.uuid,
      fullName: repository.full_name,
      cloneUrl: url.href,
      defaultBranch: repository.mainbranch?.name ?? null,
      isArchived: false,
      isFork: repository.parent != null,
      isEmpty: repository.mainbranch === null,
      isPrivate: repository.is_private,
      sizeBytes: size ?? null,
    },
  ];
}
