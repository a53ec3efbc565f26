import { type LookupAddress, lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { isPublicAddress, unknownHost } from "./public-host.ts";

/** Resolves a host name to all of its addresses, as `lookup` of `node:dns`. */
export type LookupAll = (
  host: string,
  options: { all: true },
  callback: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

/**
 * A `lookup` for connections that finds only hosts with public addresses. The connection uses the addresses that are
 * checked here, so a name that means another address a moment later is of no use to an attacker. A private host fails as
 * an unknown one does: who sent the name must not learn which names the network has.
 */
export function createPublicLookup(lookup: LookupAll = systemLookup): LookupFunction {
  return (host, { all, ...options }, callback) => {
    lookup(host, { ...options, all: true }, (error, found) => {
      const [first] = found ?? [];
      if (error !== null || first === undefined || !found.every(({ address }) => isPublicAddress(address))) {
        callback(Object.assign(new Error(unknownHost), { code: "ENOTFOUND" }), []);
      } else if (all) callback(null, found);
      else callback(null, first.address, first.family);
    });
  };
}
