import { type Html, html } from "./html.ts";

/** Text to copy: selected as a whole by a click, and by a button where script is on (`offerCopies`). */
export function copyable({ id, label, text }: { id: string; label: string; text: string }): Html {
  return html`<pre tabindex="0" role="group" aria-label="${label}"><code id="${id}" class="whole">${text}</code></pre>
    ${copyButton({ id, what: label })}`;
}

/** Copies the text of an element or a template; shown by `offerCopies`. */
export function copyButton({ id, what }: { id: string; what: string }): Html {
  return html`<p class="copy" hidden>
    <button type="button" class="quiet" data-copy="${id}">Copy<span class="hidden"> ${what}</span></button>
    <span class="muted" role="status"></span>
  </p>`;
}
