import { CitewellError } from "../../errors.ts";

/** Whether a host answered with a redirect, which git is configured not to follow. */
export function isRedirect(errorOutput: string): boolean {
  return /returned error: 30[12378]|unable to update url base from redirection/.test(errorOutput);
}

/** Whether a host answered that there is no such repository. */
export function isNotFound(errorOutput: string): boolean {
  return /^fatal: repository '.*' not found|returned error: 404|returned error: 410/m.test(errorOutput);
}

const loginPattern =
  /Authentication failed|could not read (?:Username|Password)|terminal prompts disabled|error: 40[13]/;

/** Whether an error of `gitFailure` means that the host refused the credentials, or wants some. */
export function isLoginFailure(error: unknown): boolean {
  if (!(error instanceof CitewellError) || error.tag !== "RepositoryNotFound") return false;
  return error.cause instanceof Error && loginPattern.test(error.cause.message);
}

/** The error for the output of a failed git (in English, `LC_ALL=C`), with a hint. */
export function gitFailure(
  errorOutput: string,
  { url, directory }: { url: string; directory?: string | undefined },
): CitewellError {
  const host = new URL(url).host;
  const cause = new Error(errorOutput.trim());
  for (const { pattern, fault } of faults) {
    const match = pattern.exec(errorOutput);
    if (match === null) continue;
    const { tag, message, hint } = fault({ url, host, detail: match[1] ?? "", directory: directory ?? "the disk" });
    return new CitewellError(tag, message, { cause, ...(hint === undefined ? {} : { hint }) });
  }
  const said = /^(?:fatal|error): (.*)$/m.exec(errorOutput)?.[1] ?? "no reason given";
  const shown = directory === undefined ? said : said.replaceAll(`${directory}/`, "");
  return new CitewellError("RepositoryFailed", `git could not read ${url}: ${shown}`, { cause });
}

interface Fault {
  tag: "RepositoryFailed" | "RepositoryNotFound" | "RepositoryTimeout" | "BranchNotFound" | "StorageFailed";
  message: string;
  hint?: string;
}

interface Facts {
  url: string;
  host: string;
  /** The captured part of the output. */
  detail: string;
  directory: string;
}

const loginHint =
  "check the URL; for a private repository sign in with git first, so that its credential helper knows the login";

const writeHint = "free some space (citewell clear), or set dataDirectory to another folder";

/** The first match applies. */
const faults: { pattern: RegExp; fault: (facts: Facts) => Fault }[] = [
  {
    pattern: /(No space left on device|Disk quota exceeded|File too large|Read-only file system)/,
    fault: ({ detail, directory }) => ({
      tag: "StorageFailed",
      message: `git cannot write to ${directory}: ${detail.toLowerCase()}`,
      hint: writeHint,
    }),
  },
  {
    // A failed checkout names only the file, both for a full disk and for an exhausted quota.
    pattern: /^(?:error|fatal): (unable to (?:write|create) (?:new |temporary )?(?:file|index)\b.*)$/m,
    fault: ({ detail, directory }) => ({
      tag: "StorageFailed",
      message: `git cannot write to ${directory}: ${detail}`,
      hint: writeHint,
    }),
  },
  {
    pattern: /(?:not our ref|unadvertised object|couldn't find remote ref) *(\S*)/,
    fault: ({ detail, url }) => ({
      tag: "BranchNotFound",
      message: `${url} does not hand out ${detail === "" ? "that commit" : detail}`,
      hint: "name a branch, a tag, or the full id of a commit that is on one",
    }),
  },
  {
    pattern: /Could not resolve proxy|CONNECT tunnel failed|HTTP code \d+ from proxy|Proxy CONNECT aborted/,
    fault: ({ host }) => ({
      tag: "RepositoryFailed",
      message: `the proxy did not let git through to ${host}`,
      hint: "check the proxy in git's http.proxy or in HTTPS_PROXY",
    }),
  },
  {
    pattern: /Could not resolve host/,
    fault: ({ host }) => ({
      tag: "RepositoryFailed",
      message: `${host} could not be reached: no such host`,
      hint: "check the URL and the connection",
    }),
  },
  {
    pattern: /(?:certificate|SSL|TLS|schannel).*(?:verif|self.signed|expired|trust|issuer|problem|no alternative)/i,
    fault: ({ host }) => ({
      tag: "RepositoryFailed",
      message: `${host} could not be reached: its certificate is not trusted`,
      hint: "name the file of its authority in git's http.sslCAInfo, or in GIT_SSL_CAINFO",
    }),
  },
  {
    pattern: /Operation too slow|timed? ?out/i,
    fault: ({ host }) => ({
      tag: "RepositoryTimeout",
      message: `${host} could not be reached: it took too long`,
      hint: "check the connection, then try again",
    }),
  },
  {
    pattern: loginPattern,
    fault: ({ url }) => ({
      tag: "RepositoryNotFound",
      message: `${url} does not exist, or needs a login`,
      hint: loginHint,
    }),
  },
  {
    pattern: /^fatal: repository '.*' not found|error: 404|error: 410/m,
    fault: ({ url }) => ({ tag: "RepositoryNotFound", message: `there is no repository at ${url}`, hint: loginHint }),
  },
  {
    pattern: /not valid: is this a git repository|does not appear to be a git repository/,
    fault: ({ url }) => ({
      tag: "RepositoryNotFound",
      message: `there is no git repository at ${url}`,
      hint: "give the URL that git clone takes",
    }),
  },
  {
    pattern: /error: 429/,
    fault: ({ host }) => ({
      tag: "RepositoryFailed",
      message: `${host} refuses: too many requests`,
      hint: "wait a while, then try again",
    }),
  },
  {
    pattern: /returned error: (\d+)/,
    fault: ({ host, detail }) => ({ tag: "RepositoryFailed", message: `${host} failed with HTTP status ${detail}` }),
  },
  {
    pattern:
      /Failed to connect|Couldn't connect|Connection (?:refused|reset)|Network is unreachable|Empty reply|early EOF|hung up|RPC failed|unable to access/,
    fault: ({ host }) => ({
      tag: "RepositoryFailed",
      message: `${host} could not be reached`,
      hint: "check the connection, then try again",
    }),
  },
];
