// The script of the page to ask: sends the form for an event stream, and puts the markup of the server into the page as
// it arrives. Without it the form loads the whole answer.
import type { AnswerEvent } from "../answer-event.ts";
import { element, offerCopies, offerFilters } from "./page.ts";
import { offerPreviews } from "./previews.ts";

const form = element("ask", HTMLFormElement);
const question = element("question", HTMLTextAreaElement);
const send = element("send", HTMLButtonElement);
const stop = element("stop", HTMLButtonElement);
const status = element("status", HTMLElement);
const turns = element("turns", HTMLElement);

offerCopies(document);
offerFilters();
offerPreviews();

// Also the forms that ask a question again.
document.addEventListener("submit", (event) => {
  const sent = event.target;
  if (!(sent instanceof HTMLFormElement) || (sent !== form && sent.elements.namedItem("again") === null)) return;
  event.preventDefault();
  if (!send.disabled) void ask(sent);
});
question.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  form.requestSubmit();
});

async function ask(sent: HTMLFormElement): Promise<void> {
  const replaced = sent === form ? null : sent.closest("article");
  const running = new AbortController();
  const { signal } = running;
  stop.addEventListener("click", () => running.abort(), { once: true });
  status.className = "muted";
  status.textContent = "Asking…";
  stop.hidden = false;
  send.disabled = true;
  try {
    const texts = [...new FormData(sent)].flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value]] : [],
    );
    const body = new URLSearchParams(texts);
    const response = await fetch(form.dataset["stream"] ?? "", { method: "POST", body, signal });
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    if (!isStream || response.body === null) return sent.submit();
    for await (const event of readEvents(response.body)) show(event, replaced);
  } catch {
    status.textContent = signal.aborted ? "Stopped." : "The connection was lost. Ask again.";
  } finally {
    stop.hidden = true;
    send.disabled = false;
  }
}

async function* readEvents(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<AnswerEvent> {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const frames = `${text}${value}`.split("\n\n");
    text = frames.pop() ?? "";
    for (const frame of frames) {
      const data = frame.split("\n").find((line) => line.startsWith("data: "));
      if (data !== undefined) yield JSON.parse(data.slice("data: ".length));
    }
  }
}

function show(event: AnswerEvent, replaced: Element | null): void {
  switch (event.type) {
    case "turn":
      return begin(parse(event.markup), replaced);
    case "thread":
      return keep(event.id);
    case "status":
      status.textContent = event.text;
      return;
    case "notes":
      return part("notes").replaceChildren(parse(event.markup));
    case "blocks": {
      const blocks = part("blocks");
      while (blocks.childElementCount > event.keep) blocks.lastElementChild?.remove();
      return blocks.append(parse(event.blocks.join("")));
    }
    case "end":
      part("end").replaceChildren(parse(event.markup));
      // The page shows the last status now; screen readers still announce it.
      status.className = "hidden";
      return offerCopies(part("end"));
  }
}

/** A part of the newest turn. */
function part(name: "notes" | "blocks" | "end"): Element {
  const found = turns.lastElementChild?.querySelector(`[data-part="${name}"]`);
  if (found instanceof Element) return found;
  throw new Error(`the turn has no part ${name}`);
}

/** The next question can be written while the answer comes. */
function begin(turn: DocumentFragment, replaced: Element | null): void {
  const all = [...turns.children];
  if (replaced === null) question.value = "";
  else for (const old of all.slice(all.indexOf(replaced))) old.remove();
  turns.append(turn);
  document.querySelector("label[for=question]")?.replaceChildren("Follow-up question");
  document.getElementById("conversations")?.remove();
  turns.lastElementChild?.querySelector("h2")?.focus({ preventScroll: true });
  turns.lastElementChild?.scrollIntoView({ block: "start" });
}

/** Loading the page again shows the conversation. */
function keep(thread: string): void {
  for (const field of document.querySelectorAll<HTMLInputElement>("input[name=thread]")) field.value = thread;
  element("open-conversation", HTMLElement).hidden = thread === "";
  const { pathname } = new URL(form.action);
  history.replaceState(null, "", thread === "" ? pathname : `${pathname}/${thread}`);
}

function parse(markup: string): DocumentFragment {
  const template = document.createElement("template");
  template.innerHTML = markup;
  return template.content;
}

// A citation opens beside the conversation; with a modifier key, the browser opens its page.
turns.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (link === null || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const { origin, pathname } = new URL(link.href);
  if (origin !== location.origin || !pathname.endsWith("/source")) return;
  event.preventDefault();
  void openSource(link.href);
});

async function openSource(href: string): Promise<void> {
  try {
    const page = new DOMParser().parseFromString(await (await fetch(href)).text(), "text/html");
    element("source-name", HTMLElement).textContent = page.querySelector("h1")?.textContent ?? "";
    element("source-content", HTMLElement).replaceChildren(...(page.querySelector("main")?.childNodes ?? []));
  } catch {
    location.href = href;
    return;
  }
  element("source-page", HTMLAnchorElement).href = href;
  element("source", HTMLDialogElement).showModal();
  document.querySelector("#source mark")?.scrollIntoView({ block: "center" });
}
