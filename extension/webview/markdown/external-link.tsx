import type { ComponentChildren } from "preact";
import { useChat } from "../chat-context.ts";

/** A web address, opened by the host. The click ends here: VS Code would open the link a second time. */
export function ExternalLink({ url, children }: { url: string; children: ComponentChildren }) {
  const { send } = useChat();
  function open(event: MouseEvent): void {
    event.preventDefault();
    event.stopPropagation();
    send({ type: "openLink", url });
  }
  return (
    <a href={url} title={url} onClick={open}>
      {children}
    </a>
  );
}
