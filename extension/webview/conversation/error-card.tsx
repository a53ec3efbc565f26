import type { ErrorBody, ErrorTag } from "../../../server/protocol/error.ts";
import { showInvisible } from "../../../server/protocol/invisible.ts";
import { sentence } from "../../sentence.ts";
import { useChat } from "../chat-context.ts";
import { Icon } from "../icons.tsx";
import { type Command, CommandButtons } from "../parts.tsx";
import { say } from "../strings.ts";

/** What went wrong, what to do about it, and buttons that do it. */
export function ErrorCard({ error, turn }: { error: ErrorBody; turn?: string | undefined }) {
  const { send } = useChat();
  return (
    <section class="card error" aria-label={say("failedTitle")}>
      <p class="card-title">
        <Icon name="alert" />
        <strong dir="auto">{showInvisible(sentence(error.error))}</strong>
      </p>
      {error.hint !== undefined && <p dir="auto">{showInvisible(sentence(error.hint))}</p>}
      <CommandButtons commands={commandsFor(error.tag)}>
        {turn !== undefined && (
          <button type="button" class="button" onClick={() => send({ type: "retry", turn })}>
            {say("retry")}
          </button>
        )}
      </CommandButtons>
    </section>
  );
}

/** The tags of docs/errors.md whose way out is a command of ours. */
const waysOut: Partial<Record<ErrorTag, readonly Command[]>> = {
  ConfigInvalid: ["openConfig"],
  CredentialsInvalid: ["connectProvider", "showServerLog"],
  Internal: ["showServerLog"],
  ModelNotFound: ["chooseModel"],
  PathNotFound: ["chooseResources"],
  PriceUnknown: ["chooseModel"],
  ProviderFailed: ["chooseModel", "showServerLog"],
  ProviderNotConnected: ["connectProvider", "chooseModel"],
  ProviderNotFound: ["chooseModel"],
  ProviderRateLimited: ["chooseModel"],
  ProviderRefused: ["connectProvider", "chooseModel"],
  ResourceNotFound: ["chooseResources", "addResource"],
  ServerFailed: ["restartServer", "showServerLog"],
  ServerUnreachable: ["chooseModel", "showServerLog"],
};

function commandsFor(tag: string): readonly Command[] {
  return Object.entries(waysOut).find(([known]) => known === tag)?.[1] ?? [];
}
