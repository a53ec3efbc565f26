import type { RefObject } from "preact";
import { formatNumber, joinList } from "../../../server/protocol/answer-words.ts";
import { showInvisible } from "../../../server/protocol/invisible.ts";
import { limits } from "../../../server/protocol/resource-fields.ts";
import { useChat } from "../chat-context.ts";
import { Icon, type IconName } from "../icons.tsx";
import type { FromWebview } from "../messages.ts";
import { IconButton } from "../parts.tsx";
import { type ChatView, type FoundFiles, isReported } from "../store.ts";
import { language, say } from "../strings.ts";
import type { Draft } from "../use-draft.ts";
import { SuggestionList, suggestionId, suggestionListId } from "./suggestion-list.tsx";
import { useCompletion } from "./use-completion.ts";

interface ComposerProps {
  view: ChatView;
  files: FoundFiles;
  draft: Draft;
  box: RefObject<HTMLTextAreaElement | null>;
  isAnswering: boolean;
  onStop: () => void;
}

/** The question box, with its attachments and resources. */
export function Composer(props: ComposerProps) {
  const { view, files, draft, box, isAnswering, onStop } = props;
  const { send } = useChat();
  const isTooLong = draft.text.length > limits.questionLength;
  const canSend = draft.text.trim() !== "" && !isTooLong && !isAnswering;
  function ask(): void {
    if (!canSend) return;
    send({ type: "ask", question: draft.text.trim() });
    draft.set("");
  }
  return (
    <section class="composer" aria-label={say("askLabel")}>
      <div class="box">
        {view.attachments.length > 0 && <AttachmentList attachments={view.attachments} box={box} />}
        <QuestionBox view={view} files={files} draft={draft} box={box} onAsk={ask} />
        <div class="box-footer">
          <ResourcesButton view={view} />
          <ModelButton view={view} />
          <AddFileButton draft={draft} box={box} />
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
        <p role="alert">
          {say("tooLong", formatNumber(draft.text.length, language), formatNumber(limits.questionLength, language))}
        </p>
      )}
    </section>
  );
}

function AttachmentList({ attachments, box }: Pick<ComposerProps, "box"> & Pick<ChatView, "attachments">) {
  const { send } = useChat();
  function detach({ label, path }: ChatView["attachments"][number]): void {
    send({ type: "detach", label, path });
    // The button goes away with its file.
    box.current?.focus();
  }
  return (
    <ul class="attachments" aria-label={say("attachments")}>
      {attachments.map((attachment) => (
        <li
          key={`${attachment.path} ${attachment.label}`}
          class="attachment"
          title={say("attached", showInvisible(attachment.path))}
        >
          <Icon name="file" />
          <bdi>{showInvisible(attachment.label)}</bdi>
          <IconButton
            icon="cross"
            label={say("detach", showInvisible(attachment.label))}
            onClick={() => detach(attachment)}
          />
        </li>
      ))}
    </ul>
  );
}

/** A button for the mouse: it begins the word that lists the files. */
function AddFileButton({ draft, box }: Pick<ComposerProps, "draft" | "box">) {
  function begin(): void {
    const element = box.current;
    if (element === null) return;
    const text = draft.text.replace(/(?<=^|\s)#$/, "");
    draft.setAndFocus(`${text}${/\S$/.test(text) ? " " : ""}#`);
    element.dispatchEvent(new InputEvent("input", { bubbles: true }));
  }
  return <IconButton icon="file" label={say("addFile")} className="add-file" onClick={begin} />;
}

function QuestionBox(props: Pick<ComposerProps, "view" | "files" | "draft" | "box"> & { onAsk: () => void }) {
  const { view, files, draft, box, onAsk } = props;
  const { suggestions, active, ...completion } = useCompletion(box, draft, { view, files });
  const isListed = suggestions.length > 0;

  function recall(): void {
    const last = view.turns.at(-1);
    if (last === undefined || box.current === null) return;
    box.current.value = last.question;
    completion.change(box.current);
  }
  function handleKey(event: KeyboardEvent): void {
    // While an input method composes a word, Enter belongs to it.
    if (event.isComposing) return;
    if (completion.handleKey(event)) event.preventDefault();
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
      {isListed && <SuggestionList suggestions={suggestions} active={active} onChoose={completion.choose} />}
      <textarea
        ref={box}
        rows={1}
        dir="auto"
        placeholder={say("askPlaceholder")}
        aria-label={say("askLabel")}
        aria-description={say("askHelp")}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={isListed ? suggestionListId : undefined}
        aria-activedescendant={isListed ? suggestionId(active) : undefined}
        value={draft.text}
        onInput={({ currentTarget }) => completion.change(currentTarget)}
        onSelect={({ currentTarget }) => completion.setCursor(currentTarget.selectionStart)}
        onKeyDown={handleKey}
        onBlur={completion.dismiss}
      />
    </>
  );
}

function ResourcesButton({ view }: { view: ChatView }) {
  const isKnown = isReported(view);
  const text = isKnown ? describeSelection(view) : say("unknownResources");
  const names = describeInFull(view);
  // The name of a button contains its text: people who speak to their computer say what they see.
  const label = isKnown
    ? say("resources", names === undefined ? text : `${text} (${names})`)
    : say("chooseResourcesHint");
  const hasNone = isKnown && view.resources.length === 0;
  return <PickButton label={label} icon="library" text={text} command={hasNone ? "addResource" : "chooseResources"} />;
}

function describeSelection({ resources, selected }: ChatView): string {
  if (resources.length === 0) return say("noResources");
  if (selected.length <= 1) return joinList(selected.map(showInvisible), language);
  const isWhole = resources.every(({ name }) => selected.includes(name));
  if (isWhole) return say("allResources");
  return say("someResources", formatNumber(selected.length, language));
}

/** The names that the button has no room for; undefined if they are too many for a tooltip. */
function describeInFull({ selected }: ChatView): string | undefined {
  return selected.length > 1 && selected.length <= 5 ? joinList(selected.map(showInvisible), language) : undefined;
}

function ModelButton({ view }: { view: ChatView }) {
  const name = view.model === undefined ? undefined : showInvisible(view.model.label);
  const label = name === undefined ? say("chooseModelHint") : say("model", name);
  return <PickButton label={label} icon="model" text={name ?? say("unknownModel")} command="chooseModel" />;
}

type RunCommand = Extract<FromWebview, { type: "run" }>["command"];

function PickButton(props: { label: string; icon: IconName; text: string; command: RunCommand }) {
  const { send } = useChat();
  const { label, icon, text, command } = props;
  return (
    <button type="button" class="pick" aria-label={label} title={label} onClick={() => send({ type: "run", command })}>
      <Icon name={icon} />
      <bdi>{text}</bdi>
    </button>
  );
}
