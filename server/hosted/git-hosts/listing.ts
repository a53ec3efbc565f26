import type * as z from "zod";
import { CitewellError } from "../../errors.ts";
import type { ListedRepository } from "./git-host.ts";
import type { HostAnswer, HostClient, HostReadOptions } from "./host-client.ts";

/** More than any account that a project could follow. */
const repositoryLimit = 20_000;

/** What one page lists. */
export interface ListedPage {
  repositories: readonly ListedRepository[];
  /** How many there are on all pages, of those that the caller may see; undefined if the host does not say. */
  total: number | undefined;
}

/** How an account is listed. */
export interface ListingOptions<Schema extends z.ZodType> extends PageOptions<Schema> {
  account: string;
  /** The addresses that may list it, in turn: hosts have different ones for organizations and for people. */
  addresses: readonly string[];
  readPage(answer: HostAnswer<z.output<Schema>>): ListedPage;
}

/**
 * The repositories of all pages, each once: with numbered pages, a change in between repeats or skips some. A caller
 * removes what is missing, so a list with fewer than the host counts fails.
 * @throws AccountNotFound, RepositoryFailed, RepositoryTimeout, AddressNotAllowed
 */
export async function listAll<Schema extends z.ZodType>(
  client: HostClient,
  options: ListingOptions<Schema>,
): Promise<ListedRepository[]> {
  const { account, addresses } = options;
  const { host } = client;
  for (const address of addresses) {
    const found = new Map<string, ListedRepository>();
    let expected: number | undefined;
    for await (const answer of readPages(client, address, options)) {
      const { repositories, total = 0 } = options.readPage(answer);
      for (const repository of repositories) found.set(repository.id, repository);
      expected = total;
      if (found.size > repositoryLimit) {
        throw new CitewellError("RepositoryFailed", `${host} lists more than ${repositoryLimit} repositories there`, {
          hint: "follow a part of them: a group, or another account",
        });
      }
    }
    if (expected === undefined) continue;
    if (found.size >= expected) return [...found.values()];
    throw incomplete(`${host} counts ${expected} repositories and listed ${found.size} of them`);
  }
  throw new CitewellError("AccountNotFound", `${host} has no account ${JSON.stringify(account)}, or hides it`, {
    hint: `check the name, and that the project has a token for ${host} which may see it`,
  });
}

/** How pages are read. */
interface PageOptions<Schema extends z.ZodType> extends HostReadOptions {
  schema: Schema;
  /** The address of the next page. By default it has the next number, if the `Link` header names one. */
  nextOf?(answer: HostAnswer<z.output<Schema>>): string | undefined;
}

/**
 * What all pages have. Undefined if there is nothing at the address.
 * @param address with a query @throws as `HostClient.read`
 */
export async function readAll<Schema extends z.ZodType, Item>(
  client: HostClient,
  address: string,
  { itemsOf, ...options }: PageOptions<Schema> & { itemsOf(data: z.output<Schema>): readonly Item[] },
): Promise<Item[] | undefined> {
  let items: Item[] | undefined;
  for await (const { data } of readPages(client, address, options)) items = [...(items ?? []), ...itemsOf(data)];
  return items;
}

/** No page at all if there is nothing at the address. */
async function* readPages<Schema extends z.ZodType>(
  client: HostClient,
  first: string,
  { schema, nextOf, ...options }: PageOptions<Schema>,
): AsyncGenerator<HostAnswer<z.output<Schema>>> {
  let address: string | undefined = first;
  for (let page = 1; address !== undefined; page++) {
    const answer: HostAnswer<z.output<Schema>> | undefined = await client.read(schema, address, options);
    if (answer === undefined && page === 1) return;
    if (answer === undefined) throw incomplete(`${client.host} has no page ${page} of the list that it began`);
    yield answer;
    // The link itself may be of another name of the host.
    address = nextOf === undefined ? answer.next && `${first}&page=${page + 1}` : nextOf(answer);
  }
}

function incomplete(message: string): CitewellError {
  return new CitewellError("RepositoryFailed", message, { hint: "it is tried again later" });
}
