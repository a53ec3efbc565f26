/** Shows the buttons that copy; browsers offer the clipboard over https and on this computer. */
const offerCopies = `
function offerCopies(root) {
  for (const button of navigator.clipboard === undefined ? [] : root.querySelectorAll("[data-copy]")) {
    button.parentElement.hidden = false;
    button.addEventListener("click", async () => {
      const source = document.getElementById(button.dataset.copy);
      await navigator.clipboard.writeText((source.content ?? source).textContent);
      button.nextElementSibling.textContent = "Copied";
    });
  }
}
`;

/** Shows the fields of `filterField`. A ticked item stays, so that nothing is chosen unseen. */
const offerFilters = `
function offerFilters() {
  for (const field of document.querySelectorAll("[data-filter]")) {
    const list = document.getElementById(field.dataset.filter);
    const apply = () => {
      const words = field.value.toLowerCase().split(/\\s+/);
      const items = [...list.querySelectorAll("tbody tr, label, li")];
      const shown = items.filter((item) => {
        const parts = [...item.children].filter((part) => !part.matches("form, button, [popover], [data-label=Actions]"));
        const text = parts.map((part) => part.textContent.toLowerCase()).join(" ");
        item.hidden = !words.every((word) => text.includes(word)) && item.querySelector(":checked") === null;
        return !item.hidden;
      });
      field.nextElementSibling.textContent = field.value === "" ? "" : shown.length + " of " + items.length;
    };
    field.parentElement.hidden = false;
    field.addEventListener("input", apply);
    /* Enter would send the form around it. */
    field.addEventListener("keydown", (event) => event.key === "Enter" && event.preventDefault());
  }
}
`;

/**
 * The script of the page to ask: sends the form for an event stream, and puts the markup of the server into the page as
 * it arrives. Without it the form loads the whole answer.
 */
export const askScript = `${offerCopies}${offerFilters}
offerCopies(document);
offerFilters();
const element = (id) => document.getElementById(id);
const form = element("ask");
let running;

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (running === undefined) void ask(new URLSearchParams(new FormData(form)));
});
element("question").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  form.requestSubmit();
});
element("stop").addEventListener("click", () => running?.abort());

async function ask(body) {
  running = new AbortController();
  element("status").className = "muted";
  element("status").textContent = "Asking…";
  element("stop").hidden = false;
  element("send").disabled = true;
  try {
    const { signal } = running;
    const response = await fetch(form.dataset.stream, { method: "POST", body, signal });
    if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return form.submit();
    await readEvents(response.body, show);
  } catch {
    element("status").textContent = running.signal.aborted ? "Stopped." : "The connection was lost. Ask again.";
  } finally {
    running = undefined;
    element("stop").hidden = true;
    element("send").disabled = false;
  }
}

async function readEvents(stream, onEvent) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += value;
    const frames = text.split("\\n\\n");
    text = frames.pop();
    for (const frame of frames) {
      const data = frame.split("\\n").find((line) => line.startsWith("data: "));
      if (data !== undefined) onEvent(JSON.parse(data.slice(6)));
    }
  }
}

function show(event) {
  if (event.type === "turn") begin(parse(event.markup));
  if (event.type === "thread") keep(event.id);
  if (event.type === "status") element("status").textContent = event.text;
  if (event.type === "notes" || event.type === "end") part(event.type).replaceChildren(parse(event.markup));
  if (event.type === "end") finish();
  if (event.type !== "blocks") return;
  const blocks = part("blocks");
  while (blocks.childElementCount > event.keep) blocks.lastElementChild.remove();
  blocks.append(parse(event.blocks.join("")));
}

/* What the last status says is on the page now; it is still read out. */
function finish() {
  element("status").className = "hidden";
  offerCopies(part("end"));
}

function part(name) {
  return element("turns").lastElementChild.querySelector('[data-part="' + name + '"]');
}

/* The next question can be written while the answer comes. */
function begin(turn) {
  element("turns").append(turn);
  element("question").value = "";
  document.querySelector("label[for=question]").textContent = "Follow-up question";
  element("conversations")?.remove();
  const { lastElementChild } = element("turns");
  lastElementChild.querySelector("h2").focus({ preventScroll: true });
  lastElementChild.scrollIntoView({ block: "start" });
}

/* Loading the page again shows the conversation. */
function keep(thread) {
  for (const field of document.querySelectorAll("input[name=thread]")) field.value = thread;
  element("open-conversation").hidden = thread === "";
  const { pathname } = new URL(form.action);
  history.replaceState(null, "", thread === "" ? pathname : pathname + "/" + thread);
}

function parse(markup) {
  const template = document.createElement("template");
  template.innerHTML = markup;
  return template.content;
}

/* A citation opens beside the conversation; with a modifier key, the browser opens its page. */
element("turns").addEventListener("click", (event) => {
  const link = event.target.closest("a");
  if (link === null || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const { origin, pathname } = new URL(link.href);
  if (origin !== location.origin || !pathname.endsWith("/source")) return;
  event.preventDefault();
  void openSource(link.href);
});

async function openSource(href) {
  try {
    const page = new DOMParser().parseFromString(await (await fetch(href)).text(), "text/html");
    element("source-name").textContent = page.querySelector("h1").textContent;
    element("source-content").replaceChildren(...page.querySelector("main").childNodes);
  } catch {
    location.href = href;
    return;
  }
  element("source-page").href = href;
  element("source").showModal();
  document.querySelector("#source mark")?.scrollIntoView({ block: "center" });
}
`;

/** The script of the resources: loads the page again while fetches wait or run, and replaces what has changed. */
export const resourcesScript = `${offerFilters}
offerFilters();
const intervalMs = 2000;
const isPending = () => document.querySelector("[data-pending]") !== null;

async function update() {
  try {
    if (!document.hidden) replace(await (await fetch(location.pathname)).text());
  } catch {
    /* The service is away: the next try may find it. */
  }
  if (isPending()) setTimeout(update, intervalMs);
}

function replace(markup) {
  const page = new DOMParser().parseFromString(markup, "text/html");
  const parts = new Map([...page.querySelectorAll("[data-live]")].map((part) => [part.dataset.live, part]));
  for (const old of document.querySelectorAll("[data-live]")) {
    const part = parts.get(old.dataset.live);
    if (part !== undefined && part.innerHTML !== old.innerHTML) old.replaceChildren(...part.childNodes);
  }
}

for (const hint of document.querySelectorAll("[data-without-script]")) hint.hidden = true;
if (isPending()) setTimeout(update, intervalMs);
`;

/** The script of pages with text to copy, or long lists. */
export const listScript = `${offerCopies}${offerFilters}
offerCopies(document);
offerFilters();
`;
