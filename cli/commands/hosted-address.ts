import { CitewellError } from "../../server/errors.ts";
import { isLoopback } from "../../server/lib/loopback.ts";
import { quoteValue } from "../../server/protocol/validation.ts";

/** The option of commands that print an address of the service. */
export interface AddressOptions {
  publicUrl?: string;
}

/** The origin at which people and agents reach the service, if it is set. @throws InvalidUsage */
export function readPublicUrl({ publicUrl: text }: AddressOptions): string | undefined {
  // An empty variable counts as unset.
  if (text === undefined || text === "") return undefined;
  const { origin, pathname, search } = requireUrl("--public-url", text);
  if (pathname === "/" && search === "") return origin;
  throw new CitewellError("InvalidUsage", `--public-url ${quoteValue(text)} has a path`, {
    hint: `the service uses all paths of its host: ${origin}`,
  });
}

/** The origin at which other nodes reach this one, if it is set. Plain http is allowed, for private networks. @throws InvalidUsage */
export function readNodeUrl({ nodeUrl: text }: { nodeUrl?: string }): string | undefined {
  if (text === undefined || text === "") return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin;
  throw new CitewellError("InvalidUsage", `--node-url ${quoteValue(text)} is not the http or https address of a host`, {
    hint: "write it as http://10.0.0.5:8484",
  });
}

/** @throws InvalidUsage (neither https nor on this computer) */
export function requireUrl(option: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(text))) return url;
  throw new CitewellError("InvalidUsage", `${option} ${quoteValue(text)} is not an https address`, {
    hint: "http is allowed on this computer only: http://localhost:8484",
  });
}

/** Adds the full URL to a path of the service: below `--public-url`, else as the running service returned it. */
export function withAddress<Place extends { path: string; url?: string | undefined }>(
  place: Place,
  publicUrl: string | undefined,
): Place {
  return publicUrl === undefined ? place : { ...place, url: publicUrl + place.path };
}

/** The full URL, or the path if the address of the service is unknown. */
export function describeAddress({ path, url }: { path: string; url?: string | undefined }): string {
  return url ?? `${path} (below the address of the service)`;
}
