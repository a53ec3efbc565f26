/**
 * The script of the page to ask: sends the form for an event stream, and puts the markup of the server into the page as
 * it arrives. Without it the form loads the whole answer.
 */
export const askScript = `
const element = (id) => document.getElementById(id);
const form = element("ask");
let running;

form.addEventListener("submit", (event) => {
  event.preventDefault();
  void ask(new URLSearchParams(new FormData(form)));
});
element("question").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  form.requestSubmit();
});
element("stop").addEventListener("click", () => running?.abort());

async function ask(body) {
  running?.abort();
  const own = (running = new AbortController());
  element("answer").hidden = false;
  element("blocks").replaceChildren();
  element("end").replaceChildren();
  element("status").textContent = "Asking…";
  element("stop").hidden = false;
  try {
    const response = await fetch(form.dataset.stream, { method: "POST", body, signal: own.signal });
    if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return form.submit();
    await readEvents(response.body, show);
  } catch (error) {
    if (running === own) element("status").textContent = own.signal.aborted ? "Stopped." : "The connection was lost. Ask again.";
  } finally {
    if (running === own) element("stop").hidden = true;
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
  if (event.type === "status") element("status").textContent = event.text;
  if (event.type === "end") element("end").replaceChildren(parse(event.markup));
  if (event.type !== "blocks") return;
  const blocks = element("blocks");
  while (blocks.childElementCount > event.keep) blocks.lastElementChild.remove();
  blocks.append(parse(event.blocks.join("")));
}

function parse(markup) {
  const template = document.createElement("template");
  template.innerHTML = markup;
  return template.content;
}
`;

/** The script of pages with text to copy; browsers offer the clipboard over https and on this computer. */
export const copyScript = `
for (const button of document.querySelectorAll("[data-copy]")) {
  if (navigator.clipboard === undefined) break;
  button.parentElement.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.nextElementSibling.textContent = "Copied";
  });
}
`;
