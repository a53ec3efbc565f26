import { type Channel, createChannel } from "../lib/channel.ts";
import type { SignInEvent } from "../protocol/sign-in.ts";
import type { Interaction } from "./oauth.ts";
import type { Providers } from "./providers.ts";

/**
 * Signs in, and tells what the person has to do. Leaving the iteration or aborting the signal gives it up.
 * @throws as `Providers.connect` does; an abort of `signal` as its reason
 */
export async function* signIn(
  provider: string,
  { providers, signal }: { providers: Pick<Providers, "connect">; signal: AbortSignal },
): AsyncGenerator<SignInEvent> {
  const leaving = new AbortController();
  const events = createChannel<SignInEvent>();
  const interaction = tellBy(events);
  const both = AbortSignal.any([signal, leaving.signal]);
  const connected = providers
    .connect(provider, { method: "oauth", interaction, signal: both })
    .finally(() => events.close());
  // Its failure is thrown below, after what came before it.
  connected.catch(() => {});
  try {
    yield* events;
    await connected;
    yield { type: "done", provider };
  } finally {
    leaving.abort();
  }
}

function tellBy(events: Channel<SignInEvent>): Interaction {
  return {
    openUrl: (url) => events.push({ type: "open", url }),
    showDeviceCode: ({ url, code }) => events.push({ type: "open", url, code }),
    offerCommand: (command) => events.push({ type: "run", command: [...command] }),
  };
}
