import { useEffect, useRef, useState } from "preact/hooks";
import { showInvisible } from "../../../server/protocol/invisible.ts";
import { limits } from "../../../server/protocol/resource-fields.ts";
import { useChat } from "../chat-context.ts";
import { Icon } from "../icons.tsx";
import { IconButton } from "../parts.tsx";
import { say } from "../strings.ts";
import type { Turn } from "../messages.ts";

/** A question as it was asked; it can be asked again in other words. */
export function Question({ turn, canAsk }: { turn: Turn; canAsk: boolean }) {
  const [isEditing, setEditing] = useState(false);
  const actions = useRef<HTMLDivElement>(null);
  function close(): void {
    setEditing(false);
    // The button is there again after the next drawing.
    requestAnimationFrame(() => actions.current?.querySelector("button")?.focus());
  }
  if (isEditing && canAsk) return <QuestionEditor turn={turn} onClose={close} />;
  return (
    <div class="question">
      <h2 class="question-text" tabIndex={0} dir="auto">
        <span class="hidden">{say("question")}: </span>
        {showInvisible(turn.question)}
      </h2>
      {turn.attachments?.map(({ label }) => (
        <p key={label} class="attachment-line muted">
          <Icon name="file" />
          <bdi>{showInvisible(label)}</bdi>
        </p>
      ))}
      {canAsk && (
        <div class="question-actions" ref={actions}>
          <IconButton icon="edit" label={say("edit")} onClick={() => setEditing(true)} />
        </div>
      )}
    </div>
  );
}

function QuestionEditor({ turn, onClose }: { turn: Turn; onClose: () => void }) {
  const { send } = useChat();
  const [text, setText] = useState(turn.question);
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => box.current?.focus(), []);
  const canSend = text.trim() !== "" && text.length <= limits.questionLength;
  function ask(): void {
    if (!canSend) return;
    send({ type: "edit", turn: turn.id, question: text });
    onClose();
  }
  function handleKey(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === "Escape") onClose();
    else if (event.key === "Enter" && !event.shiftKey) ask();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
  return (
    <div class="question editing">
      <textarea
        ref={box}
        aria-label={say("editLabel")}
        dir="auto"
        rows={1}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={handleKey}
      />
      <div class="buttons">
        <button type="button" class="button primary" disabled={!canSend} onClick={ask}>
          {say("editSend")}
        </button>
        <button type="button" class="button" onClick={onClose}>
          {say("cancel")}
        </button>
      </div>
    </div>
  );
}
