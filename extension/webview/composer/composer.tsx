import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import { showInvisible } from "../../../server/protocol/invisible.ts";
import { limits } from "../../../server/protocol/resource-fields.ts";
import { useChat } from "../chat-context.ts";
import { Icon } from "../icons.tsx";
import { IconButton } from "../parts.tsx";
import { type ChatView, isTold } from "../store.ts";
import { formatNumber, joinList, say, sayCount } from "../strings.ts";
import { complete, type Suggestion } from "./completion.ts";
import { SuggestionList, suggestionId, suggestionListId } from "./suggestion-list.tsx";

export interface Draft {
  text: string;
  set(text: string): void;
}

interface ComposerProps {
  view: ChatView;
  draft: Draft;
  box: RefObject<HTMLTextAreaElement | null>;
  isAnswering: boolean;
  onStop: () => void;
}

/** The box for questions, with what goes along and what is asked of. */
export function Composer(props: ComposerProps) {
  const { view, draft, box, isAnswering, onStop } = props;
  const { send } = useChat();
  const isTooLong = draft.text.length > limits.questionLength;
  const canSend = draft.text.trim() !== "" && !isTooLong && !isAnswering;
  function ask(): void {
    if (!canSend) return;
    send({ type: "ask", question: draft.text });
    draft.set("");
  }
  return (
    <section class="composer" aria-label={say("askLabel")}>
      <div class="box">
        {view.attachment !== undefined && (
          <div class="attachment" title={say("attached", showInvisible(view.attachment.path))}>
            <Icon name="file" />
            <bdi>{showInvisible(view.attachment.label)}</bdi>
            <IconButton
              icon="cross"
              label={say("detach", showInvisible(view.attachment.label))}
              onClick={() => send({ type: "detach" })}
            />
          </div>
        )}
        <QuestionBox view={view} draft={draft} box={box} onAsk={ask} />
        <div class="box-footer">
          <ResourcesButton view={view} />
          <ModelButton view={view} />
          <span class="spring" />
          {isAnswering ? (
            <IconButton icon="stop" label={say("stop")} className="send" onClick={onStop} />
          ) : (
            <button
              type="button"
              class="icon-button send"
              aria-label={say("send")}
              title={say("send")}
              aria-disabled={!canSend}
              onClick={ask}
            >
              <Icon name="send" />
            </button>
          )}
        </div>
      </div>
      {isTooLong && (
        <p role="alert">{say("tooLong", formatNumber(draft.text.length), formatNumber(limits.questionLength))}</p>
      )}
    </section>
  );
}

function QuestionBox(props: Pick<ComposerProps, "view" | "draft" | "box"> & { onAsk: () => void }) {
  const { view, draft, box, onAsk } = props;
  const { send, announce } = useChat();
  const [cursor, setCursor] = useState(0);
  const [isDismissed, setDismissed] = useState(false);
  const [active, setActive] = useState(0);
  const completion = isDismissed ? undefined : complete(draft.text, cursor, view.resources);
  const suggestions = completion?.suggestions ?? [];
  const count = suggestions.length;
  useEffect(() => {
    if (count > 0) announce(sayCount("suggestionCountOne", "suggestionCount", count));
  }, [count]);

  function change({ value, selectionStart }: HTMLTextAreaElement): void {
    draft.set(value);
    setCursor(selectionStart);
    setDismissed(false);
    setActive(0);
  }
  function choose(suggestion: Suggestion): void {
    if (completion === undefined || box.current === null) return;
    const { message, insert = "" } = suggestion;
    box.current.setRangeText(insert, completion.start, completion.end, "end");
    change(box.current);
    if (message !== undefined) send(message);
  }
  function recall(): void {
    const last = view.turns.at(-1);
    if (last === undefined || box.current === null) return;
    box.current.value = last.question;
    change(box.current);
  }
  /** Whether the key meant the list. */
  function moveInList(event: KeyboardEvent): boolean {
    const chosen = suggestions[active];
    if (chosen === undefined) return false;
    if (event.key === "ArrowDown") setActive((active + 1) % count);
    else if (event.key === "ArrowUp") setActive((active + count - 1) % count);
    else if (event.key === "Escape") setDismissed(true);
    else if ((event.key === "Enter" || event.key === "Tab") && !event.shiftKey) choose(chosen);
    else return false;
    event.stopPropagation();
    return true;
  }
  function handleKey(event: KeyboardEvent): void {
    // While a word is put together from keys (IME), Enter belongs to it.
    if (event.isComposing) return;
    if (moveInList(event)) event.preventDefault();
    else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      onAsk();
    } else if (event.key === "ArrowUp" && draft.text === "") {
      event.preventDefault();
      recall();
    }
  }

  return (
    <>
      {count > 0 && <SuggestionList suggestions={suggestions} active={active} onChoose={choose} />}
      <textarea
        ref={box}
        rows={1}
        dir="auto"
        placeholder={say("askPlaceholder")}
        aria-label={say("askLabel")}
        aria-description={say("askHelp")}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={count > 0 ? suggestionListId : undefined}
        aria-activedescendant={count > 0 ? suggestionId(active) : undefined}
        value={draft.text}
        onInput={({ currentTarget }) => change(currentTarget)}
        onSelect={({ currentTarget }) => setCursor(currentTarget.selectionStart)}
        onKeyDown={handleKey}
        onBlur={() => setDismissed(true)}
      />
    </>
  );
}

function ResourcesButton({ view }: { view: ChatView }) {
  const { send } = useChat();
  const isKnown = isTold(view);
  const text = isKnown ? describeSelection(view) : say("unknownResources");
  const label = isKnown ? say("resources", text) : say("chooseResourcesOf");
  const hasNone = isKnown && view.resources.length === 0;
  return (
    <button
      type="button"
      class="pick"
      aria-label={label}
      title={label}
      onClick={() => send({ type: "run", command: hasNone ? "addResource" : "chooseResources" })}
    >
      <Icon name="library" />
      <bdi>{text}</bdi>
    </button>
  );
}

function describeSelection({ resources, selected }: ChatView): string {
  if (resources.length === 0) return say("noResources");
  if (selected.length <= 2) return joinList(selected.map(showInvisible));
  if (selected.length === resources.length) return say("allResources");
  return say("someResources", formatNumber(selected.length));
}

function ModelButton({ view }: { view: ChatView }) {
  const { send } = useChat();
  const name = view.model === undefined ? undefined : showInvisible(view.model.label);
  const label = name === undefined ? say("chooseModelOf") : say("model", name);
  return (
    <button
      type="button"
      class="pick"
      aria-label={label}
      title={label}
      onClick={() => send({ type: "run", command: "chooseModel" })}
    >
      <Icon name="model" />
      <bdi>{name ?? say("unknownModel")}</bdi>
    </button>
  );
}
