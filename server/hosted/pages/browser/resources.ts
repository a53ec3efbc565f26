// The script of the resources: loads the page again while fetches wait or run, and replaces what has changed.
import { offerFilters } from "./page.ts";

const intervalMs = 2000;

offerFilters();
for (const hint of document.querySelectorAll<HTMLElement>("[data-without-script]")) hint.hidden = true;
updateWhilePending();

function updateWhilePending(): void {
  if (document.querySelector("[data-pending]") !== null) setTimeout(() => void update(), intervalMs);
}

async function update(): Promise<void> {
  try {
    if (!document.hidden) replace(await (await fetch(location.pathname + location.search)).text());
  } catch {
    // The service is away: the next try may find it.
  }
  updateWhilePending();
}

function replace(markup: string): void {
  const page = new DOMParser().parseFromString(markup, "text/html");
  const parts = new Map(liveParts(page).map((part) => [part.dataset["live"], part]));
  for (const old of liveParts(document)) {
    const part = parts.get(old.dataset["live"]);
    if (part !== undefined && part.innerHTML !== old.innerHTML) old.replaceChildren(...part.childNodes);
  }
}

function liveParts(page: Document): HTMLElement[] {
  return [...page.querySelectorAll<HTMLElement>("[data-live]")];
}
