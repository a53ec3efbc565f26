import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ChatContext, type ChatActions } from "./chat-context.ts";
import { PreviewCard } from "./citations/preview-card.tsx";
import { Composer } from "./composer/composer.tsx";
import { ConversationLog } from "./conversation/log.tsx";
import { WelcomeNotice } from "./conversation/welcome.tsx";
import type { Host } from "./host.ts";
import { Icon } from "./icons.tsx";
import { moveFocus } from "./move.ts";
import { useFollowing } from "./scroll.ts";
import { type ChatView, type FoundFiles, type Preview, previewKey } from "./store.ts";
import { say } from "./strings.ts";
import { useDraft } from "./use-draft.ts";
import { useEscapeTwice } from "./use-escape.ts";
import { usePreview } from "./use-preview.ts";
import { useRequests, type ViewRequest } from "./use-requests.ts";

export interface ChatProps {
  host: Host;
  /** Undefined until the host has sent the state. */
  view: ChatView | undefined;
  previews: ReadonlyMap<string, Preview>;
  files: FoundFiles;
  /** The next words for screen readers. */
  said: string;
  /** Requests of the host, oldest first; each is carried out once. */
  requests: readonly ViewRequest[];
}

/** The whole view: the conversation above, the box below. */
export function Chat({ host, view, previews, files, said, requests }: ChatProps) {
  const log = useRef<HTMLDivElement>(null);
  const box = useRef<HTMLTextAreaElement>(null);
  /** Browsers forget it while the focus is in the editor. */
  const lastFocused = useRef<Element>(null);
  const [announced, announce] = useState(said);
  const { target, preview, stay, hide } = usePreview(host);
  const draft = useDraft(host, box, hide);
  const { isLatestInView, handleScroll, followEnd } = useFollowing(log, { host, turns: view?.turns });
  const turns = view?.turns ?? [];
  const isAnswering = turns.at(-1)?.status === "running";
  const stop = () => host.send({ type: "stop" });
  const escape = useEscapeTwice({ isActive: isAnswering, onStop: stop });
  const actions = useActions(host, { announce, preview });
  useRequests(requests, { host, log, lastFocused, draft, isReady: view !== undefined });
  useEffect(() => announce(said), [said]);
  useEffect(() => {
    if (escape.isArmed) announce(say("stopHint"));
  }, [escape.isArmed]);

  function handleKey(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
    escape.handleKey(event);
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || log.current === null) return;
    if (event.key === "n") moveFocus(log.current, "next-citation", lastFocused.current);
    else if (event.key === "p") moveFocus(log.current, "previous-citation", lastFocused.current);
    // Any other letter begins the next question, also after a click on a citation.
    else if (/^[^\s]$/u.test(event.key)) box.current?.focus();
  }
  function handleFocus({ target }: FocusEvent): void {
    if (target instanceof Element) lastFocused.current = target;
  }
  function scrolled(): void {
    handleScroll();
    // The focus itself may have moved the text.
    if (target !== undefined && target.anchor !== document.activeElement) hide();
  }

  const previewed = turns.find(({ id }) => id === target?.turn)?.answer;
  const citation = previewed?.citations.find(({ id }) => id === target?.citation);
  return (
    <ChatContext.Provider value={actions}>
      <main class="chat" onKeyDown={handleKey} onFocusCapture={handleFocus}>
        <h1 class="hidden">{view?.thread?.title ?? say("conversation")}</h1>
        <ConversationLog
          log={log}
          view={view}
          isAnswering={isAnswering}
          onScroll={scrolled}
          onExample={draft.setAndFocus}
        />
        <div class="foot">
          {!isLatestInView && turns.length > 0 && (
            <button type="button" class="jump" onClick={followEnd}>
              <Icon name="down" />
              {say("jumpToLatest")}
            </button>
          )}
          {escape.isArmed && <p class="armed">{say("stopHint")}</p>}
          {view !== undefined && <WelcomeNotice view={view} />}
          {view !== undefined && (
            <Composer view={view} files={files} draft={draft} box={box} isAnswering={isAnswering} onStop={stop} />
          )}
        </div>
        {target !== undefined && previewed !== undefined && citation !== undefined && (
          <PreviewCard
            anchor={target.anchor}
            citation={citation}
            snapshots={previewed.snapshots}
            preview={previews.get(previewKey(target.turn, target.citation))}
            onEnter={stay}
            onLeave={hide}
          />
        )}
      </main>
      <div class="hidden" aria-live="polite" role="status">
        {announced}
      </div>
    </ChatContext.Provider>
  );
}

/** Stays the same object, so that finished turns are not drawn again. */
function useActions(host: Host, { announce, preview }: Pick<ChatActions, "announce" | "preview">): ChatActions {
  return useMemo(
    () => ({
      send: host.send,
      announce,
      preview,
      isOpen: (fold) => host.kept.folds[fold],
      setOpen: (fold, isOpen) => host.keep({ folds: { ...host.kept.folds, [fold]: isOpen } }),
    }),
    [],
  );
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;
}
