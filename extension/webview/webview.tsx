import { render } from "preact";
import * as z from "zod";
import "../../media/webview.css";
import { describeChange } from "./announce.ts";
import { Chat, type ChatProps } from "./chat.tsx";
import { connectHost } from "./host.ts";
import type { ToWebview } from "./messages.ts";
import { applyMessage, previewKey } from "./store.ts";

/** No code may be made at run time: the page's policy forbids it. */
z.config({ jitless: true });

const root = document.getElementById("root");
if (root !== null) start(root);

/** Takes what the host says, and draws at most once a frame. */
function start(element: HTMLElement): void {
  const host = connectHost();
  const waiting: ToWebview[] = [];
  let props: ChatProps = {
    host,
    view: undefined,
    previews: new Map(),
    files: { query: "", files: [] },
    said: "",
    requests: [],
  };

  function draw(): void {
    for (const message of waiting.splice(0)) props = take(props, message);
    render(<Chat {...props} />, element);
  }
  host.onMessage((message) => {
    if (waiting.push(message) > 1) return;
    // No frame comes while the view is hidden.
    if (document.hidden) queueMicrotask(draw);
    else requestAnimationFrame(draw);
  });
  const reportFocus = () => host.send({ type: "focus", isInView: document.hasFocus() });
  window.addEventListener("focus", reportFocus);
  window.addEventListener("blur", reportFocus);
  draw();
  host.send({ type: "ready" });
  reportFocus();
}

function take(props: ChatProps, message: ToWebview): ChatProps {
  if (message.type === "preview") {
    return { ...props, previews: new Map(props.previews).set(previewKey(message.turn, message.citation), message) };
  }
  if (message.type === "files") return { ...props, files: message };
  if (message.type === "compose" || message.type === "move") {
    return { ...props, requests: [...props.requests, message] };
  }
  const view = applyMessage(props.view, message);
  return view === undefined ? props : { ...props, view, said: describeChange(props.view, view) ?? props.said };
}
