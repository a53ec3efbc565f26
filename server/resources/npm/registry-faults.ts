import { CitewellError, codeOf, connectionFaultOf } from "../../errors.ts";

/** The error for a failed or stalled request; the caller's own reason if it aborted. */
export function connectionFault(error: unknown, { address, signal }: { address: URL; signal: AbortSignal }): unknown {
  if (signal.aborted) return signal.reason;
  const origin = originOf(error);
  const code = codeOf(origin) ?? "";
  if (isTimeout(origin)) {
    return new CitewellError("RegistryTimeout", `${address.host} did not answer in time`, {
      hint: "check the network and the proxy; npm's fetch-timeout sets the time limit",
      cause: error,
    });
  }
  const hint = /CERT|SIGNATURE|TLS/.test(code)
    ? "if the network has its own certificate authority: npm config set cafile <file>"
    : "check the network, the proxy, and: npm config get registry";
  return failed(`${address.host} could not be reached: ${connectionFaultOf(origin)}`, hint, error);
}

/** The error for an HTTP status. `packageName` is given if the address is a package's. */
export function answerFault(
  status: number,
  address: URL,
  { packageName }: { packageName?: string | undefined },
): CitewellError {
  const what = packageName ?? `${address.host}${address.pathname}`;
  const scope = packageName?.startsWith("@") ? packageName.split("/")[0] : undefined;
  const signIn = `npm login ${scope === undefined ? "" : `--scope=${scope} `}--registry=${address.origin}`;
  if (status === 404 && packageName !== undefined) {
    const hint =
      scope === undefined ? "check its spelling" : `check its spelling; if it is private, sign in: ${signIn}`;
    return new CitewellError("PackageNotFound", `no package "${packageName}" on ${address.host}`, { hint });
  }
  if (status === 401 || status === 403) {
    return failed(`${address.host} refuses ${what} (${status})`, `sign in: ${signIn}`);
  }
  if (status === 429)
    return failed(`${address.host} limits the rate of requests (429)`, "wait a while, then try again");
  return failed(`${address.host} answered ${status} for ${what}`, "try again later, or see: npm config get registry");
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
