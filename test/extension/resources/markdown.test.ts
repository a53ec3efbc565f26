import { marked } from "marked";
import { expect, test } from "vitest";
import { escapeMarkdown } from "../../../extension/features/resources/markdown.ts";

/** The renderer of the editor is of the same family. */
function check(text: string, expected = text): void {
  const html = marked.parse(escapeMarkdown(text), { async: false, gfm: true });
  const plain = html.replace(/^<p>|<\/p>\n$/g, "");
  const entities: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&amp;": "&" };
  expect(plain.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => entities[entity] ?? "")).toBe(expected);
}

test("nothing becomes markup", () => {
  check("**bold** _it_ `code` ~~no~~");
  check("[link](command:x) ![image](https://x.example/a.png)");
  check("<b>html</b> &amp; &lt;");
  check("https://x.example www.x.example me@x.example");
  check("# title");
  check("1. one");
  check("- list");
  check("a | b");
  check("back\\slash $(icon)");
});

test("no second line, no turned text", () => {
  check("one\n# two", "one\uFFFD# two");
  check("a\u202Eb\u2066c", "a\uFFFDb\uFFFDc");
});
