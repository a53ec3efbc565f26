import { CitewellError, codeOf, connectionFaultOf } from "../../errors.ts";

/** What the user can do about a fault of a registry, in terms of the ecosystem's package manager. */
export interface RegistryAdvice {
  /** How to change the time limit, after a semicolon. */
  timeLimit?: string;
  /** About a certificate that is not trusted. */
  certificates: string;
  /** A command, or where the configuration is, that shows the registry's address. */
  showRegistry: string;
  /** How to sign in. */
  signIn: (address: URL, packageName: string | undefined) => string;
  /** About a package that the registry does not have. */
  missing: (address: URL, packageName: string) => string;
}

/** The error for a failed or stalled request; the caller's own reason if it aborted. */
export function connectionFault(
  error: unknown,
  { address, advice, signal }: { address: URL; advice: RegistryAdvice; signal: AbortSignal },
): unknown {
  if (signal.aborted) return signal.reason;
  const origin = originOf(error);
  const code = codeOf(origin) ?? "";
  if (isTimeout(origin)) {
    return new CitewellError("RegistryTimeout", `${address.host} did not answer in time`, {
      hint: `check the network and the proxy${advice.timeLimit ?? ""}`,
      cause: error,
    });
  }
  const hint = /CERT|SIGNATURE|TLS/.test(code)
    ? `if the network has its own certificate authority: ${advice.certificates}`
    : `check the network, the proxy, and: ${advice.showRegistry}`;
  return failed(`${address.host} could not be reached: ${connectionFaultOf(origin)}`, hint, error);
}

/** The error for an HTTP status. `packageName` is given if the address is a package's. */
export function answerFault(
  status: number,
  address: URL,
  { packageName, advice }: { packageName?: string | undefined; advice: RegistryAdvice },
): CitewellError {
  const what = packageName ?? `${address.host}${address.pathname}`;
  if ((status === 404 || status === 410) && packageName !== undefined) {
    const hint = advice.missing(address, packageName);
    return new CitewellError("PackageNotFound", `no package "${packageName}" on ${address.host}`, { hint });
  }
  if (status === 401 || status === 403) {
    return failed(`${address.host} refuses ${what} (${status})`, `sign in: ${advice.signIn(address, packageName)}`);
  }
  if (status === 429)
    return failed(`${address.host} limits the rate of requests (429)`, "wait a while, then try again");
  return failed(`${address.host} answered ${status} for ${what}`, `try again later, or see: ${advice.showRegistry}`);
}

/** A RegistryFailed. */
export function failed(message: string, hint: string, cause?: unknown): CitewellError {
  return new CitewellError("RegistryFailed", message, { hint, cause });
}

/** The innermost cause: the message of `fetch` itself is only "fetch failed". */
function originOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? originOf(error.cause) : error;
}

function isTimeout(error: unknown): boolean {
  const isOfRequest = error instanceof Error && error.name === "TimeoutError";
  return isOfRequest || /^(ETIMEDOUT|UND_ERR_\w+_TIMEOUT)$/.test(codeOf(error) ?? "");
}

/** An address without credentials. The text need not be a URL: a password may hold an at sign or a slash. */
export function redacted(text: string): string {
  return text.replace(/(?<=:\/\/).*@/s, "");
}
