import { setTimeout as sleep } from "node:timers/promises";
import { CitewellError } from "../errors.ts";
import type { Credential, Credentials } from "./credentials.ts";

/** A person has just left another window: what takes less is not noticed. */
const lookAgainMs = 500;

/**
 * Waits for a sign-in that another program leaves in `auth.json`. What is there now does not count.
 * @throws CredentialsInvalid; from what it returns ProviderTimeout, or the signal's reason
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
    throw new CitewellError("ProviderTimeout", `nobody signed in to ${provider} within ${timeoutMs / 1000} seconds`, {
      hint: "sign in again, and finish it in the terminal",
    });
  };
}

/** A file that is half written at the moment is looked at again. */
async function entryNow(provider: string, credentials: Credentials): Promise<Credential | undefined> {
  try {
    return (await credentials.get(provider))?.credential;
  } catch (error) {
    if (error instanceof CitewellError && error.tag === "CredentialsInvalid") return undefined;
    throw error;
  }
}
