import { placePreview, previewDelayMs, previewLines } from "../../../../client/answer/preview-place.ts";

/**
 * Shows the cited lines beside a citation under the pointer or with the focus, until Escape. They come from the page that
 * the link opens, which checks what the reader may see.
 */
export function offerPreviews(): void {
  const card = document.createElement("div");
  card.id = card.className = "preview";
  card.role = "tooltip";
  card.hidden = true;
  document.querySelector("main")?.append(card);
  const pages = new Map<string, Promise<Document>>();
  let shown: HTMLAnchorElement | undefined;
  let underPointer: Element | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const later = (ms: number, change: () => void) => {
    clearTimeout(timer);
    timer = setTimeout(change, ms);
  };
  const hide = () => {
    clearTimeout(timer);
    shown?.removeAttribute("aria-describedby");
    shown = undefined;
    card.hidden = true;
  };
  const show = async (link: HTMLAnchorElement) => {
    hide();
    shown = link;
    // The browser would show it over the preview.
    if (link.title !== "") link.dataset["name"] = link.title;
    link.removeAttribute("title");
    const page = await pageOf(link.href, pages).catch(() => undefined);
    if (page === undefined || shown !== link) return;
    fill(card, { name: link.dataset["name"] ?? link.textContent ?? "", page });
    card.hidden = false;
    link.setAttribute("aria-describedby", card.id);
    place(card, link);
  };

  // `mouseover` also fires when scrolling brings a citation under a resting pointer.
  document.addEventListener("mousemove", ({ target }) => {
    const link = citationAt(target);
    const under = link ?? (target instanceof Element && card.contains(target) ? card : undefined);
    if (under === underPointer) return;
    underPointer = under;
    if (link !== undefined) later(previewDelayMs.show, () => void show(link));
    else if (under === card) clearTimeout(timer);
    else later(previewDelayMs.hide, hide);
  });
  document.addEventListener("focusin", ({ target, relatedTarget }) => {
    const link = citationAt(target);
    // A press does not ask for a preview, nor does a dialog that gives the focus back.
    const isAsked = link?.matches(":focus-visible") === true && !isInDialog(relatedTarget);
    if (link !== undefined && isAsked) later(0, () => void show(link));
  });
  document.addEventListener("focusout", ({ target }) => {
    if (citationAt(target) !== undefined) later(previewDelayMs.hide, hide);
  });
  document.addEventListener("click", ({ target }) => {
    if (citationAt(target) !== undefined) hide();
  });
  const follow = () => {
    if (shown !== undefined && !card.hidden) place(card, shown);
  };
  window.addEventListener("scroll", follow, { capture: true, passive: true });
  window.addEventListener("resize", follow);
  window.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Escape" || card.hidden) return;
      event.preventDefault();
      event.stopPropagation();
      hide();
    },
    { capture: true },
  );
}

function citationAt(target: EventTarget | null): HTMLAnchorElement | undefined {
  const link = target instanceof Element ? target.closest<HTMLAnchorElement>("a.cite, .sources a") : null;
  return link ?? undefined;
}

function isInDialog(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("dialog") !== null;
}

/** Each page once, unless it failed. */
function pageOf(href: string, pages: Map<string, Promise<Document>>): Promise<Document> {
  const known = pages.get(href);
  if (known !== undefined) return known;
  const loading = fetch(href).then(async (response) => {
    if (!response.ok) pages.delete(href);
    return new DOMParser().parseFromString(await response.text(), "text/html");
  });
  loading.catch(() => pages.delete(href));
  pages.set(href, loading);
  return loading;
}

/** The cited lines of a page; of a commit, its first ones; of a page that failed, what it says. */
function fill(card: HTMLElement, { name, page }: { name: string; page: Document }): void {
  const cited = [...page.querySelectorAll(".row.cited")];
  const rows = cited.length > 0 ? cited : [...page.querySelectorAll(".source .row")];
  const [resource, revision] = [...page.querySelectorAll("dd")].map(({ textContent }) => textContent?.trim());
  const title = part("p", "", [part("strong", "", [name])]);
  if (rows.length === 0) {
    card.replaceChildren(title, part("p", "muted", [page.querySelector("main p")?.textContent ?? ""]));
    return;
  }
  const lines = rows.slice(0, previewLines).map((row) => part("span", "row", [...row.childNodes]));
  const more = part("p", "muted", []);
  const count = () => {
    const left = rows.length - lines.length;
    more.hidden = left === 0;
    more.textContent = left === 1 ? "1 more line" : `${left} more lines`;
  };
  card.replaceChildren(
    title,
    part("p", "muted", [`${resource} at ${revision}`]),
    part("pre", "source", [part("code", "", lines)]),
    more,
  );
  count();
  card.hidden = false;
  // Long lines are wrapped: where they are higher than the view, fewer are shown.
  while (lines.length > 1 && card.offsetHeight > window.innerHeight / 2) {
    lines.pop()?.remove();
    count();
  }
}

function part(tag: string, className: string, children: readonly (Node | string)[]): HTMLElement {
  const element = document.createElement(tag);
  element.className = className;
  element.append(...children);
  return element;
}

function place(card: HTMLElement, link: HTMLElement): void {
  const view = { width: document.documentElement.clientWidth, height: window.innerHeight };
  const { left, top } = placePreview(link.getBoundingClientRect(), { size: card.getBoundingClientRect(), view });
  card.style.left = `${left}px`;
  card.style.top = `${top}px`;
}
