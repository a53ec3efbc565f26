import { type Channel, createChannel } from "../lib/channel.ts";
import type { SignInEvent } from "../protocol/sign-in.ts";
import type { Interaction } from "./oauth.ts";
import type { Providers } from "./providers.ts";

/**
 * Signs in and emits the user's next steps. Ending the iteration or aborting the signal cancels it.
 * @throws as `Providers.connect` does; an abort of `signal` as its reason
 */
export async function* signIn(
  provider: string,
  { providers, signal }: { providers: Pick<Providers, "connect">; signal: AbortSignal },
): AsyncGenerator<SignInEvent> {
  const leaving = new AbortController();
  const events = createChannel<SignInEvent>();
  const interaction = pushTo(events);
  const both = AbortSignal.any([signal, leaving.signal]);
  const connected = providers
    .connect(provider, { method: "oauth", interaction, signal: both })
    .finally(() => events.close());
  // A failure is thrown below, after the events received before it.
  connected.catch(() => {});
  try {
    yield* events;
    await connected;
    yield { type: "done", provider };
  } finally {
    leaving.abort();
  }
}

function pushTo(events: Channel<SignInEvent>): Interaction {
  return {
    openUrl: (url) => events.push({ type: "open", url }),
    showDeviceCode: ({ url, code }) => events.push({ type: "open", url, code }),
    offerCommand: (command) => events.push({ type: "run", command: [...command] }),
  };
}
