import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ChatContext, type ChatActions } from "./chat-context.ts";
import { PreviewCard } from "./citations/preview-card.tsx";
import { Composer } from "./composer/composer.tsx";
import { TurnItem } from "./conversation/turn.tsx";
import { WelcomeNotice, WelcomePage } from "./conversation/welcome.tsx";
import type { Host } from "./host.ts";
import { Icon } from "./icons.tsx";
import type { ToWebview } from "./messages.ts";
import { moveFocus } from "./move.ts";
import { useFollowing } from "./scroll.ts";
import { type ChatView, isTold, type Preview, previewKey } from "./store.ts";
import { say } from "./strings.ts";
import { useEscapeTwice } from "./use-escape.ts";
import { usePreview } from "./use-preview.ts";

export interface ChatProps {
  host: Host;
  /** Undefined until the host has told. */
  view: ChatView | undefined;
  previews: ReadonlyMap<string, Preview>;
  /** What screen readers are told next. */
  said: string;
  /** What the host asked for that is no state, in its order; each is done once. */
  requests: readonly Extract<ToWebview, { type: "compose" | "move" }>[];
}

/** The whole view: the conversation above, the box below. */
export function Chat({ host, view, previews, said, requests }: ChatProps) {
  const log = useRef<HTMLDivElement>(null);
  const box = useRef<HTMLTextAreaElement>(null);
  const done = useRef(0);
  const [draft, setDraft] = useState(host.kept.draft);
  const [announced, announce] = useState(said);
  const { target, preview, stay, hide } = usePreview(host);
  const { isAtEnd, handleScroll, follow } = useFollowing(log, { host, turns: view?.turns });
  const isAnswering = view?.turns.at(-1)?.status === "running";
  const stop = () => host.send({ type: "stop" });
  const escape = useEscapeTwice({ isActive: isAnswering, onStop: stop });
  const actions = useMemo<ChatActions>(
    () => ({
      send: host.send,
      announce,
      preview,
      isOpen: (fold) => host.kept.folds[fold],
      setOpen: (fold, isOpen) => host.keep({ folds: { ...host.kept.folds, [fold]: isOpen } }),
    }),
    [],
  );

  function write(text: string): void {
    hide();
    setDraft(text);
    host.keep({ draft: text });
  }
  function writeAndFocus(text: string): void {
    write(text);
    const element = box.current;
    if (element === null) return;
    element.value = text;
    element.focus();
    element.setSelectionRange(text.length, text.length);
  }
  useEffect(() => announce(said), [said]);
  useEffect(() => {
    if (escape.isArmed) announce(say("stopHint"));
  }, [escape.isArmed]);
  useEffect(() => {
    // It waits for the box.
    if (view === undefined) return;
    for (const request of requests.slice(done.current)) {
      // What was typed since this was drawn is not in `draft`.
      if (request.type === "compose") writeAndFocus(`${request.text ?? ""}${host.kept.draft}`);
      else if (log.current !== null) moveFocus(log.current, request.to);
    }
    done.current = requests.length;
  }, [requests, view === undefined]);
  useEffect(() => {
    if (view?.turns.at(-1)?.status === "running") follow();
  }, [view?.turns.length]);

  function handleKey(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
    if (event.key === "Escape" && target !== undefined) return hide();
    escape.handleKey(event);
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || log.current === null) return;
    if (event.key === "n") moveFocus(log.current, "next-citation");
    if (event.key === "p") moveFocus(log.current, "previous-citation");
  }

  function copyAll(): void {
    host.send({ type: "copy" });
    announce(say("copied"));
  }
  function scrolled(): void {
    handleScroll();
    // The focus itself may have moved the text.
    if (target !== undefined && target.anchor !== document.activeElement) hide();
  }

  const turns = view?.turns ?? [];
  const isStarting = view === undefined || (turns.length === 0 && view.welcome === "ready" && !isTold(view));
  const previewed = turns.find(({ id }) => id === target?.turn)?.answer;
  const citation = previewed?.citations.find(({ id }) => id === target?.citation);
  return (
    <ChatContext.Provider value={actions}>
      <main class="chat" onKeyDown={handleKey}>
        <h1 class="hidden">{view?.thread?.title ?? say("conversation")}</h1>
        <div class="log" ref={log} role="log" aria-live="off" aria-label={say("conversation")} onScroll={scrolled}>
          {isStarting && <Skeleton />}
          {!isStarting && turns.length === 0 && <WelcomePage view={view} onExample={writeAndFocus} />}
          <ol class="turns" hidden={turns.length === 0}>
            {turns.map((turn) => (
              <TurnItem
                key={turn.id}
                turn={turn}
                showReasoning={view?.settings.showReasoning ?? true}
                showTools={view?.settings.showTools ?? true}
                canAsk={!isAnswering}
              />
            ))}
          </ol>
          {turns.length > 0 && !isAnswering && (
            <div class="conversation-actions">
              <button type="button" class="pick" onClick={copyAll}>
                <Icon name="copy" />
                {say("copyAll")}
              </button>
              <button type="button" class="pick" onClick={() => host.send({ type: "export" })}>
                <Icon name="export" />
                {say("exportAll")}
              </button>
            </div>
          )}
        </div>
        <div class="foot">
          {!isAtEnd && turns.length > 0 && (
            <button type="button" class="jump" onClick={follow}>
              <Icon name="down" />
              {say("jumpToLatest")}
            </button>
          )}
          {escape.isArmed && <p class="armed">{say("stopHint")}</p>}
          {view !== undefined && <WelcomeNotice view={view} />}
          {view !== undefined && (
            <Composer
              view={view}
              draft={{ text: draft, set: write }}
              box={box}
              isAnswering={isAnswering}
              onStop={stop}
            />
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

function Skeleton() {
  return (
    <p class="skeleton" aria-busy="true">
      <span class="hidden">{say("loading")}</span>
    </p>
  );
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;
}
