import type { ErrorBody } from "../../../server/protocol/error.ts";
import { showInvisible } from "../../../server/protocol/invisible.ts";
import { sentence } from "../../sentence.ts";
import { waysOut } from "../../ways-out.ts";
import { useChat } from "../chat-context.ts";
import { Icon } from "../icons.tsx";
import { CommandButtons } from "../parts.tsx";
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
      <CommandButtons commands={waysOut(error.tag)}>
        {turn !== undefined && (
          <button type="button" class="button" onClick={() => send({ type: "retry", turn })}>
            {say("retry")}
          </button>
        )}
      </CommandButtons>
    </section>
  );
}
