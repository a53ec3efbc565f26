import { setTimeout as sleep } from "node:timers/promises";
import type * as z from "zod";
import { CitewellError, connectionFaultOf } from "../../errors.ts";
import type { Fetch } from "../../lib/fetch.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { isTrustedHost, privateHostFault, unknownHost } from "../../lib/public-host.ts";
import type { HostKind } from "../../protocol/followed-accounts.ts";
import { hostKindNames } from "../../protocol/host-kinds.ts";

/** Requests to the API of one git host. */
export interface HostClient {
  /** As in URLs of repositories: `github.com`, `git.example.com:8443`. */
  host: string;
  /**
   * Reads JSON. Waits for a rate limit that ends soon, and tries again after a failure that may pass.
   * @param address below the API, as `/groups/acme`, or a whole URL that the API returned
   * @returns undefined if there is nothing at the address
   * @throws HostRefusal, AddressNotAllowed, RepositoryFailed, RepositoryTimeout
   */
  read<Schema extends z.ZodType>(
    schema: Schema,
    address: string,
    options: HostReadOptions,
  ): Promise<HostAnswer<z.output<Schema>> | undefined>;
}

/** Options of a read. */
export interface HostReadOptions {
  /** The rights of the token that it needs, for the hint of an error; by default those to list repositories. */
  needs?: string | undefined;
  signal: AbortSignal;
}

/** The credential is valid, but may not read an address: status 403. */
export class HostRefusal extends CitewellError {}

/** An answer of the API. */
export interface HostAnswer<Data> {
  data: Data;
  /** The `Link` to the next page. */
  next: string | undefined;
  /** The number that a header contains. */
  count(header: string): number | undefined;
}

/** The user and the password or token of a credential for git; an empty user stands for any. */
export interface HostCredential {
  username: string;
  token: string;
}

/** The dependencies of `createHostClient`. */
export interface HostClientOptions {
  kind: HostKind;
  host: string;
  /** Undefined: without a login, for what is public. */
  credential: HostCredential | undefined;
  /** Hosts that may have a private address. */
  allowHosts: readonly string[];
  /** The fetch for these hosts. */
  fetch: Fetch;
  /** The fetch for all others, which connects to public addresses only. */
  fetchPublic: Fetch;
  /** The longest wait for a rate limit, and the pause before another try. */
  waits?: { limitMs: number; retryMs: number };
}

const requestMs = 30_000;
const answerBytes = 32 * 1024 * 1024;
const redirectLimit = 3;
const tries = 3;
const usualWaits = { limitMs: 60_000, retryMs: 1000 };

/** Where the API of a host is. */
function apiUrlOf(kind: HostKind, host: string): string {
  switch (kind) {
    case "github":
      // https://docs.github.com/enterprise-server/rest/using-the-rest-api/getting-started-with-the-rest-api
      return host === "github.com" ? "https://api.github.com" : `https://${host}/api/v3`;
    case "gitlab":
      return `https://${host}/api/v4`;
    case "gitea":
      return `https://${host}/api/v1`;
    case "bitbucket":
      return host === "bitbucket.org" ? "https://api.bitbucket.org/2.0" : `https://${host}/2.0`;
  }
}

/** A client of one host's API. Credentials never leave its origin: a redirect or a next page elsewhere is refused. */
export function createHostClient(options: HostClientOptions): HostClient {
  const { kind, host, credential, allowHosts, fetch, fetchPublic, waits = usualWaits } = options;
  const apiUrl = apiUrlOf(kind, host);
  const { origin } = new URL(apiUrl);
  const headers = { ...acceptOf(kind), "user-agent": "citewell", ...authorizationOf(kind, credential) };
  const api = new URL(apiUrl);
  const isTrusted = isTrustedHost(api, allowHosts);

  async function send(address: URL, signal: AbortSignal): Promise<Response> {
    if (!isTrusted && privateHostFault(address.hostname) !== undefined) {
      throw new CitewellError("AddressNotAllowed", `${host} could not be reached: ${unknownHost}`, {
        hint: "check the host; the operator of the service can allow private hosts with allowHosts",
      });
    }
    let current = address;
    for (let hops = 0; hops <= redirectLimit; hops++) {
      const response = await (isTrusted ? fetch : fetchPublic)(current, { headers, redirect: "manual", signal });
      const location = response.status >= 301 && response.status <= 308 ? response.headers.get("location") : null;
      if (location === null) return response;
      await response.body?.cancel();
      current = inOrigin(location, current);
    }
    throw failed(`${host} redirects ${address.pathname} in circles`);
  }

  function inOrigin(text: string, base: URL): URL {
    const url = URL.canParse(text, base.href) ? new URL(text, base) : undefined;
    if (url?.origin === origin) return url;
    throw failed(`${host} refers to ${url?.host ?? "no address"}, where its credentials must not be sent`);
  }

  async function readOnce(address: URL, caller: AbortSignal): Promise<RawAnswer> {
    const late = AbortSignal.timeout(requestMs);
    try {
      const response = await send(address, AbortSignal.any([caller, late]));
      return { status: response.status, headers: response.headers, text: await textOf(response, host) };
    } catch (error) {
      caller.throwIfAborted();
      if (error instanceof CitewellError) throw error;
      if (late.aborted) {
        throw new CitewellError("RepositoryTimeout", `${host} did not answer within ${requestMs / 1000} s`);
      }
      const why = connectionFaultOf((error instanceof Error ? error.cause : undefined) ?? error);
      throw new CitewellError("RepositoryFailed", `${host} could not be reached: ${why}`, { cause: error });
    }
  }

  /** The first answer that another try would not change. */
  async function readPatiently(address: URL, signal: AbortSignal): Promise<RawAnswer> {
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt === tries;
      const answer = await readOnce(address, signal).catch((error: unknown) => {
        if (isLast || !isPassing(error)) throw error;
        return undefined;
      });
      const waitMs = answer === undefined ? undefined : limitMsOf(answer);
      if (answer !== undefined && waitMs === undefined && (answer.status < 500 || isLast)) return answer;
      if (waitMs !== undefined && (isLast || waitMs > waits.limitMs)) throw limited(host, waitMs);
      await sleep(waitMs ?? waits.retryMs * 4 ** (attempt - 1), undefined, { signal });
    }
  }

  return {
    host,
    async read(schema, place, { needs = `the right to list repositories: ${rights[kind]}`, signal }) {
      const address = place.startsWith("/") ? new URL(apiUrl + place) : inOrigin(place, api);
      const { status, headers: received, text } = await readPatiently(address, signal);
      if (status === 404) return undefined;
      if (status === 401 || status === 403) throw refused({ host, needs, status, text, credential });
      const { success, data } = schema.safeParse(parseJson(text));
      if (status !== 200 || !success) {
        throw failed(
          status === 200
            ? `${host} answered ${address.pathname} with something else than ${hostKindNames[kind]} does`
            : `${host} answered ${address.pathname} with status ${status}`,
        );
      }
      const count = (header: string) => readNumber(received.get(header));
      return { data, next: nextLink(received.get("link")), count };
    },
  };
}

interface RawAnswer {
  status: number;
  headers: Headers;
  text: string;
}

function acceptOf(kind: HostKind): Record<string, string> {
  return kind === "github"
    ? { accept: "application/vnd.github+json", "x-github-api-version": "2022-11-28" }
    : { accept: "application/json" };
}

/**
 * Hosts take a token as a bearer. Bitbucket does so for access tokens, whose user in git is `x-token-auth`; with an API
 * token it expects the user: https://developer.atlassian.com/cloud/bitbucket/rest/intro/#authentication
 */
function authorizationOf(kind: HostKind, credential: HostCredential | undefined): Record<string, string> {
  if (credential === undefined) return {};
  const { username, token } = credential;
  const isBearer = kind !== "bitbucket" || username === "" || username === "x-token-auth";
  const basic = Buffer.from(`${username}:${token}`).toString("base64");
  return { authorization: isBearer ? `Bearer ${token}` : `Basic ${basic}` };
}

async function textOf(response: Response, host: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let received = 0;
  const body: AsyncIterable<Uint8Array> | Iterable<Uint8Array> = response.body ?? [];
  for await (const chunk of body) {
    received += chunk.length;
    if (received > answerBytes) throw failed(`${host} sent more than ${answerBytes / 1024 / 1024} MB in one answer`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/**
 * How long the host asks to wait; undefined if it does not. GitHub answers 403 or 429, and sends `retry-after` only for
 * its secondary limit: https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
 */
function limitMsOf({ status, headers }: RawAnswer): number | undefined {
  const isSpent = (headers.get("x-ratelimit-remaining") ?? headers.get("ratelimit-remaining")) === "0";
  const after = readNumber(headers.get("retry-after"));
  if (status !== 429 && !(status === 403 && (isSpent || after !== undefined))) return undefined;
  if (after !== undefined) return after * 1000;
  const reset = readNumber(headers.get("x-ratelimit-reset") ?? headers.get("ratelimit-reset"));
  return reset === undefined ? usualWaits.limitMs : Math.max(0, reset * 1000 - Date.now());
}

function isPassing(error: unknown): boolean {
  return error instanceof CitewellError && (error.tag === "RepositoryTimeout" || error.cause !== undefined);
}

function readNumber(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** The target of `rel="next"` in a `Link` header (RFC 8288). */
function nextLink(header: string | null): string | undefined {
  for (const [, target, parameters = ""] of (header ?? "").matchAll(/<([^>]*)>([^<]*)/g)) {
    if (/;\s*rel="?next"?/i.test(parameters)) return target;
  }
  return undefined;
}

function limited(host: string, waitMs: number): CitewellError {
  const minutes = Math.ceil(waitMs / 60_000);
  return new CitewellError(
    "RepositoryFailed",
    `${host} accepts no more requests for about ${minutes} min: its rate limit is used up`,
    {
      hint: "it is tried again later; another token has a limit of its own",
    },
  );
}

function refused({
  host,
  needs,
  status,
  text,
  credential,
}: {
  host: string;
  needs: string;
  status: number;
  text: string;
  credential: HostCredential | undefined;
}): CitewellError {
  const said = saidIn(text);
  if (credential === undefined) {
    return new CitewellError("RepositoryFailed", `${host} lists nothing without a token${said}`, {
      hint: `add a token for ${host} on the page Repository tokens`,
    });
  }
  const message = `${host} refused the token for its API (status ${status}${said})`;
  const hint = `the token needs ${needs}`;
  return status === 403
    ? new HostRefusal("RepositoryFailed", message, { hint })
    : new CitewellError("RepositoryFailed", message, { hint });
}

/** What a token needs to list repositories and to read them. */
const rights: Readonly<Record<HostKind, string>> = {
  github: "Metadata and Contents: read-only, or repo",
  gitlab: "read_api and read_repository",
  gitea: "read:organization, read:user and read:repository",
  bitbucket: "read:repository, or Repositories: Read",
};

/** The reason in the answer: GitHub and GitLab send `message`, Bitbucket an `error` with one. */
function saidIn(text: string): string {
  const [, message] = /"(?:message|error_description)"\s*:\s*"((?:[^"\\]|\\.){1,200})/.exec(text) ?? [];
  return message === undefined ? "" : `: ${message}`;
}

function failed(message: string): CitewellError {
  return new CitewellError("RepositoryFailed", message, { hint: "check the host and its kind, then try again" });
}
