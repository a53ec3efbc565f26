import { lookup as systemLookup } from "node:dns/promises";
import { setTimeout as sleep } from "node:timers/promises";
import ipaddr from "ipaddr.js";
import { CitewellError } from "../../errors.ts";
import { untilAborted } from "../../lib/abort.ts";
import { isPublicAddress, isTrustedHost, plainHost, privateHostFault, unknownHost } from "../../lib/public-host.ts";
import { gitUrlFault } from "../../protocol/kinds/git-url.ts";

/** Resolves a host name to its addresses. */
export type Lookup = (host: string) => Promise<readonly string[]>;

/** Decides which URLs and addresses may be contacted. */
export interface AddressRule {
  /**
   * Normalizes a URL. Refuses URLs that are not HTTPS or contain a private address.
   * @throws InvalidRequest, AddressNotAllowed
   */
  checkText(url: string): URL;
  /**
   * The only addresses to connect to: resolved once, all of them public. Undefined if the host is an address itself or
   * is in `allowHosts`: then any address is allowed.
   * @throws AddressNotAllowed (private; with `hidesNetwork` also an unknown host), else RepositoryFailed (no such host),
   * RepositoryTimeout
   */
  resolve(url: URL, options: { signal: AbortSignal }): Promise<readonly string[] | undefined>;
}

const lookupMs = 20_000;
/** A private name is often found sooner than an unknown one is not, so both are refused at a multiple of this time. */
const refusalStepMs = 1000;

/**
 * The rule of docs/contract.md, "Limits", Git URL: HTTPS only, no credentials, no localhost or private IP addresses.
 * `allowHosts` are exact names of trusted hosts, with a port or for all ports, which may have any address. With
 * `hidesNetwork`, a private name is refused as an unknown one is: users of a service must not learn which names its network
 * has.
 */
export function createAddressRule({
  allowHosts,
  lookup = lookupAll,
  hidesNetwork = false,
}: {
  allowHosts: readonly string[];
  lookup?: Lookup | undefined;
  hidesNetwork?: boolean | undefined;
}): AddressRule {
  return {
    checkText(text) {
      const fault = gitUrlFault(text);
      if (fault !== undefined) throw new CitewellError("InvalidRequest", `${fault}: ${text}`);
      const url = new URL(text);
      const host = plainHost(url.hostname);
      url.hostname = ipaddr.IPv6.isValid(host) ? `[${host}]` : host;
      if (isTrustedHost(url, allowHosts)) return url;
      const hostFault = privateHostFault(host);
      if (hostFault !== undefined) throw notAllowed(host, hostFault);
      return url;
    },
    async resolve(url, { signal }) {
      const host = plainHost(url.hostname);
      if (isTrustedHost(url, allowHosts) || ipaddr.isValid(host)) return undefined;
      const startedAt = performance.now();
      const late = AbortSignal.timeout(lookupMs);
      const addresses = await untilAborted(lookup(host), AbortSignal.any([signal, late])).catch((error: unknown) => {
        signal.throwIfAborted();
        if (hidesNetwork) return [];
        throw late.aborted ? noAnswer(host) : noSuchHost(host, error);
      });
      if (addresses.length > 0 && addresses.every(isPublicAddress)) return addresses;
      if (hidesNetwork) {
        await sleep(refusalStepMs - ((performance.now() - startedAt) % refusalStepMs), undefined, { signal });
        throw notPublic(host);
      }
      throw addresses.length === 0 ? noSuchHost(host) : notAllowed(host, `${host} has no public address`);
    },
  };
}

function notPublic(host: string): CitewellError {
  return new CitewellError("AddressNotAllowed", `${host} could not be reached: ${unknownHost}`, {
    hint: "check the URL; the operator of the service can allow private hosts with allowHosts",
  });
}

function notAllowed(host: string, fault: string): CitewellError {
  return new CitewellError("AddressNotAllowed", fault, {
    hint: `if it is a git host that you trust, add ${JSON.stringify(host)} to allowHosts in the global configuration`,
  });
}

function noAnswer(host: string): CitewellError {
  const message = `${host} could not be reached: its address was not found out within ${lookupMs / 1000} s`;
  return new CitewellError("RepositoryTimeout", message, { hint: "check the connection, then try again" });
}

function noSuchHost(host: string, cause?: unknown): CitewellError {
  const hint = "check the URL and the connection";
  return new CitewellError("RepositoryFailed", `${host} could not be reached: no such host`, { hint, cause });
}

async function lookupAll(host: string): Promise<string[]> {
  const found = await systemLookup(host, { all: true });
  return found.map(({ address }) => address);
}
