import { setTimeout as sleep } from "node:timers/promises";
import { CitewellError } from "../errors.ts";
import type { Credential, Credentials } from "./credentials.ts";

/** Poll interval: short enough to go unnoticed when the user switches windows. */
const lookAgainMs = 500;

/**
 * Waits for another program to store a new sign-in in `auth.json`; the current entry is ignored.
 * @throws CredentialsInvalid; the returned function: ProviderTimeout, or the signal's reason
 */
export async function watchSignIn(
  provider: string,
  { credentials, timeoutMs, signal }: { credentials: Credentials; timeoutMs: number; signal: AbortSignal },
): Promise<() => Promise<void>> {
  const before = JSON.stringify((await credentials.get(provider))?.credential);
  return async () => {
    const deadline = Date.now() + timeoutMs;
    while (Date.now() < deadline) {
      const entry = await entryNow(provider, credentials);
      if (entry?.type === "oauth" && JSON.stringify(entry) !== before) return;
      await sleep(lookAgainMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
    throw new CitewellError("ProviderTimeout", `no sign-in to ${provider} within ${timeoutMs / 1000} seconds`, {
      hint: "sign in again, and finish it in the terminal",
    });
  };
}

/** Treats an invalid file as half written, and polls again. */
async function entryNow(provider: string, credentials: Credentials): Promise<Credential | undefined> {
  try {
    return (await credentials.get(provider))?.credential;
  } catch (error) {
    if (error instanceof CitewellError && error.tag === "CredentialsInvalid") return undefined;
    throw error;
  }
}
