/** The element of a page with an id; the server's markup has it. */
export function element<T extends HTMLElement>(id: string, kind: new () => T): T {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`the page has no ${kind.name} #${id}`);
}

/** Shows the buttons of `copyButton`; browsers offer the clipboard over https and on this computer. */
export function offerCopies(root: ParentNode): void {
  if (!("clipboard" in navigator)) return;
  for (const button of root.querySelectorAll<HTMLElement>("[data-copy]")) {
    const source = element(button.dataset["copy"] ?? "", HTMLElement);
    const text = () => (source instanceof HTMLTemplateElement ? source.content : source).textContent ?? "";
    button.parentElement?.removeAttribute("hidden");
    button.addEventListener("click", () => {
      void navigator.clipboard.writeText(text()).then(() => button.nextElementSibling?.replaceChildren("Copied"));
    });
  }
}

/** Shows the fields of `filterField`. A ticked item stays, so that nothing is chosen unseen. */
export function offerFilters(): void {
  for (const field of document.querySelectorAll<HTMLInputElement>("[data-filter]")) {
    const list = element(field.dataset["filter"] ?? "", HTMLElement);
    field.parentElement?.removeAttribute("hidden");
    field.addEventListener("input", () => {
      const words = field.value.toLowerCase().split(/\s+/);
      const items = [...list.querySelectorAll<HTMLElement>("tbody tr, label, li")];
      for (const item of items) {
        const text = textOf(item);
        item.hidden = !words.every((word) => text.includes(word)) && item.querySelector(":checked") === null;
      }
      const shown = items.filter(({ hidden }) => !hidden).length;
      field.nextElementSibling?.replaceChildren(field.value === "" ? "" : `${shown} of ${items.length}`);
    });
    field.addEventListener("keydown", (event) => {
      // Enter would send the form around it.
      if (event.key === "Enter") event.preventDefault();
    });
  }
}

/** The words of an item, without those of its controls. */
function textOf(item: Element): string {
  const parts = [...item.children].filter((part) => !part.matches("form, button, [popover], [data-label=Actions]"));
  return parts.map((part) => part.textContent?.toLowerCase()).join(" ");
}
