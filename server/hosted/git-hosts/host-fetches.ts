import { createFetch, type Fetch, type FetchSettings } from "../../lib/fetch.ts";
import { createPublicLookup } from "../../lib/public-lookup.ts";

/** The fetches of `HostClientOptions`. */
export interface HostFetches {
  fetch: Fetch;
  fetchPublic: Fetch;
}

/** @param network is called with the first request */
export function createHostFetches(network: () => Promise<FetchSettings>): HostFetches {
  const open = (settings: FetchSettings): Fetch => {
    let opened: Promise<Fetch> | undefined;
    return async (input, init) => {
      opened ??= network().then((usual) => createFetch({ ...usual, ...settings }));
      return (await opened)(input, init);
    };
  };
  return { fetch: open({}), fetchPublic: open({ lookup: createPublicLookup() }) };
}
