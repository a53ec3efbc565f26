import * as z from "zod";
import type { GitHost, ListedRepository } from "./git-host.ts";
import type { HostClient } from "./host-client.ts";
import { listAll } from "./listing.ts";

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
