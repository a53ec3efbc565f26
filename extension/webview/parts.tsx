import { type ComponentChildren, Fragment } from "preact";
import { useEffect, useState } from "preact/hooks";
import { showInvisible } from "../../server/protocol/invisible.ts";
import { useChat } from "./chat-context.ts";
import { Icon, type IconName } from "./icons.tsx";
import type { FromWebview } from "./messages.ts";
import { say, type StringKey } from "./strings.ts";

export function IconButton(props: { icon: IconName; label: string; onClick: () => void; className?: string }) {
  const { icon, label, onClick, className = "" } = props;
  return (
    <button type="button" class={`icon-button ${className}`} aria-label={label} title={label} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}

/** A path that breaks between its words. */
export function FilePath({ path, className }: { path: string; className: string }) {
  const words = showInvisible(path).split(/(?<=[/._-])(?=[^/._-])|(?<=[a-z])(?=[A-Z])/);
  return (
    <bdi class={className}>
      {words.map((word, index) => (
        <Fragment key={index}>
          {index > 0 && <wbr />}
          {word}
        </Fragment>
      ))}
    </bdi>
  );
}

/** How long a button says that it has copied, in milliseconds. */
const copiedMs = 1500;

export function CopyButton({ label, onCopy }: { label: string; onCopy: () => void }) {
  const { announce } = useChat();
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    if (!isDone) return undefined;
    const timer = setTimeout(() => setDone(false), copiedMs);
    return () => clearTimeout(timer);
  }, [isDone]);
  function copy(): void {
    onCopy();
    setDone(true);
    announce(say("copied"));
  }
  return <IconButton icon={isDone ? "check" : "copy"} label={label} onClick={copy} />;
}

/** A fold that stays as the person left it. */
export function Fold(props: {
  name: string;
  className: string;
  isOpenAtFirst?: boolean;
  summary: ComponentChildren;
  children: ComponentChildren;
}) {
  const { name, className, isOpenAtFirst = false, summary, children } = props;
  const { isOpen, setOpen } = useChat();
  const [isUnfolded, setUnfolded] = useState(isOpen(name) ?? isOpenAtFirst);
  function toggle({ currentTarget }: { currentTarget: HTMLDetailsElement }): void {
    if (currentTarget.open === isUnfolded) return;
    setUnfolded(currentTarget.open);
    setOpen(name, currentTarget.open);
  }
  return (
    <details class={`fold ${className}`} open={isUnfolded} onToggle={toggle}>
      <summary>
        <Icon name="chevron" />
        {summary}
      </summary>
      {isUnfolded && <div class="fold-body">{children}</div>}
    </details>
  );
}

export type Command = Extract<FromWebview, { type: "run" }>["command"];

/** Buttons that lead on: the first is the one most people need. */
export function CommandButtons({ commands, children }: { commands: readonly Command[]; children?: ComponentChildren }) {
  const { send } = useChat();
  return (
    <div class="buttons">
      {commands.map((command, index) => (
        <button
          key={command}
          type="button"
          class={index === 0 ? "button primary" : "button"}
          onClick={() => send({ type: "run", command })}
        >
          {say(commandNames[command])}
        </button>
      ))}
      {children}
    </div>
  );
}

const commandNames: Record<Command, StringKey> = {
  addResource: "addResource",
  addDependencies: "addDependencies",
  chooseModel: "chooseModel",
  chooseResources: "chooseResources",
  clear: "clearFetched",
  connectProvider: "connect",
  manageTrust: "manageTrust",
  openConfig: "openConfig",
  restartServer: "restart",
  showServerLog: "showLog",
  newChat: "newChat",
  searchThreads: "history",
  recheckThread: "recheck",
};
