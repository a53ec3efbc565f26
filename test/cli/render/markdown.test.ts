import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { plainStyle } from "../../support/plain-style.ts";
import { createMarkdownRenderer, createMarkdownView } from "../../../cli/render/markdown.ts";
import { paintSpans } from "../../../cli/render/spans.ts";
import type { Style } from "../../../cli/render/style.ts";
import type { Citation } from "../../../server/protocol/citation.ts";
import { locateCitations } from "../../support/locate-citations.ts";

const plain: Style = { ...plainStyle, width: 40 };
const colored: Style = { ...plain, color: true };
const linked: Style = { ...plain, links: true };
const ascii: Style = { ...plain, unicode: false };

const citation: Citation = {
  id: "c1",
  resource: "demo",
  path: "src/retry.ts",
  startLine: 1,
  endLine: 4,
  state: "verified",
  revision: "3f2c1a9",
  url: "https://git.example/demo/3f2c1a9/src/retry.ts#L1-L4",
};

function render(deltas: readonly string[], style: Style, citations: readonly Citation[] = []): string {
  const renderer = createMarkdownRenderer(style);
  return deltas.map((delta, index) => renderer.push(delta, index === 0 ? citations : [])).join("") + renderer.end();
}

/** Between line ends, with escapes that can be seen. */
function check(markdown: string, style: Style, citations?: readonly Citation[]): string {
  return `\n${render([markdown], style, citations).replaceAll("\u001B", "␛")}`;
}

describe("blocks", () => {
  test("paragraphs are wrapped at words; a path is never cut", () => {
    expect(
      check(
        "The client waits, then tries again, see packages/client/src/internal/transport/retry-policy.ts for more.\n\nA hard  \nbreak.",
        plain,
      ),
    ).toMatchInlineSnapshot(`
      "
      The client waits, then tries again, see
      packages/client/src/internal/transport/retry-policy.ts
      for more.

      A hard
      break.
      "
    `);
  });

  test("headings, rules and quotes", () => {
    const markdown = "# Title\nText\n\nSection\n---\n\n***\n\n> quoted text that is longer than the line\n>\n> > inner";
    expect(check(markdown, plain)).toMatchInlineSnapshot(`
      "
      # Title

      Text

      ## Section

      ────────────────────────────────────────

      │ quoted text that is longer than the
      │ line
      │
      │ │ inner
      "
    `);
    expect(check(markdown, ascii)).toMatchInlineSnapshot(`
      "
      # Title

      Text

      ## Section

      ----------------------------------------

      | quoted text that is longer than the
      | line
      |
      | | inner
      "
    `);
  });

  test("lists: nested, ordered, tasks, loose", () => {
    const markdown = `Steps:
- one that is too long for one line of this width
  1. inner
  2. inner
- two
3. three
4. four
- [x] done
- [ ] open

* loose

  with a paragraph
* list
`;
    expect(check(markdown, plain)).toMatchInlineSnapshot(`
      "
      Steps:
      • one that is too long for one line of
        this width
        1. inner
        2. inner
      • two
      3. three
      4. four
      ☑ done
      ☐ open

      • loose

        with a paragraph
      • list
      "
    `);
    expect(check(markdown, ascii)).toMatchInlineSnapshot(`
      "
      Steps:
      - one that is too long for one line of
        this width
        1. inner
        2. inner
      - two
      3. three
      4. four
      [x] done
      [ ] open

      - loose

        with a paragraph
      - list
      "
    `);
  });

  test("fenced blocks are indented and never cut, also in lists and when they stay open", () => {
    expect(
      check(
        "```ts\nconst url = `https://example.com/a/b/c/d/e/f`; // more\n\n\tif (a) {}\n```\n- item\n\n  ```\n  code\n\n  more\n  ```\n\n~~~\nopen",
        plain,
      ),
    ).toMatchInlineSnapshot(`
      "
          const url = \`https://example.com/a/b/c/d/e/f\`; // more

              if (a) {}

      • item

            code

            more

          open
      "
    `);
  });

  test("a fenced block in a quote stays in the quote; Windows line ends are line ends", () => {
    expect(check("> a\r\n> ```\r\n> code\r\n> ```\r\n> b\r\n\r\nc", plain)).toMatchInlineSnapshot(`
      "
      │ a
      │
      │     code
      │
      │ b

      c
      "
    `);
  });

  test("tables fit the width: cells are wrapped, or become a list", () => {
    const table =
      "| Option | Meaning | N |\n|:--|:-:|--:|\n| retries | how often it is tried again | 3 |\n| `a\\|b` | 日本語 | 10 |\n";
    expect(check(table, plain)).toMatchInlineSnapshot(`
      "
      Option  │          Meaning          │  N
      ────────┼───────────────────────────┼───
      retries │   how often it is tried   │  3
              │           again           │
      \`a|b\`   │          日本語           │ 10
      "
    `);
    expect(check(table, { ...ascii, width: 20 })).toMatchInlineSnapshot(`
      "
      Option: retries
      Meaning: how often
      it is tried again
      N: 3

      Option: \`a|b\`
      Meaning: 日本語
      N: 10
      "
    `);
  });

  test("wide characters count twice and break anywhere but before a closing mark", () => {
    expect(
      check("日本語の長い文章は、単語の間に空白がないので、文字の間で折り返す。", {
        ...plain,
        width: 18,
      }),
    ).toMatchInlineSnapshot(`
      "
      日本語の長い文章
      は、単語の間に空白
      がないので、文字の
      間で折り返す。
      "
    `);
  });

  test("HTML and definitions are shown as text", () => {
    expect(check("<div>\n<b>x</b>\n</div>\n\na<br>b <i>c</i>\n\n[1]: https://example.com", plain))
      .toMatchInlineSnapshot(`
      "
      <div>
      <b>x</b>
      </div>

      a
      b <i>c</i>

      [1]: https://example.com
      "
    `);
  });

  test("what is nested deeper than any reader follows goes out as it came", () => {
    const markdown = `${">".repeat(20_000)} x`;
    expect(render([markdown], plain)).toBe(`${markdown}\n`);
  });
});

describe("within a line", () => {
  test("colours where they are wanted; the marks of the source elsewhere", () => {
    const markdown = "# A *b*\n\n**bold** *it* ~~gone~~ `code` ***both***";
    expect(check(markdown, plain)).toMatchInlineSnapshot(`
      "
      # A *b*

      **bold** *it* ~~gone~~ \`code\` ***both***
      "
    `);
    expect(check(markdown, colored)).toMatchInlineSnapshot(`
      "
      ␛[1;35mA ␛[0m␛[1;35;3mb␛[0m

      ␛[1mbold␛[0m ␛[3mit␛[0m ␛[9mgone␛[0m ␛[36mcode␛[0m ␛[3;1mboth␛[0m
      "
    `);
  });

  test("character references and escapes are read, in code they are not", () => {
    expect(check("&lt;T&gt; &amp;amp; &#65;&#x42; \\*a\\* &bogus; `&lt;`", plain)).toMatchInlineSnapshot(`
      "
      <T> &amp; AB *a* &bogus; \`&lt;\`
      "
    `);
  });

  test("links are clickable where the terminal knows how, and show the host; else they show where they go", () => {
    const markdown = "[guide](https://example.com/a) https://example.com/b me@example.com [x](ftp://h/p)";
    expect(check(markdown, plain)).toMatchInlineSnapshot(`
      "
      guide (https://example.com/a)
      https://example.com/b me@example.com x
      (ftp://h/p)
      "
    `);
    expect(check(markdown, linked)).toMatchInlineSnapshot(`
      "
      ␛]8;;https://example.com/a␛\\guide␛]8;;␛\\ (example.com)
      ␛]8;;https://example.com/b␛\\https://example.com/b␛]8;;␛\\ ␛]8;;mailto:me@example.com␛\\me@example.com␛]8;;␛\\ x
      (ftp://h/p)
      "
    `);
  });

  test("citations are shown by path and lines alone", () => {
    const written = [
      `[src/retry.ts:1-4](${citation.url})`,
      "[a.ts:7](citewell:/demo/a.ts?revision=1#L7) (not read in this run)",
      "[b.ts:7](file:///x/b.ts#L7)",
      "c\\*.ts:7 (missing: no such file)",
    ];
    const markdown = `${written.slice(0, 2).join(", ")}, see https://e.com/${written[2]}:\n\n- **${written[3]}**`;
    const citations = locateCitations(
      markdown,
      written.map((text) => [citation, text]),
    );
    expect(check(markdown, plain, citations)).toMatchInlineSnapshot(`
      "
      src/retry.ts:1-4, a.ts:7 (not read in
      this run), see https://e.com/b.ts:7:

      • **c*.ts:7 (missing: no such file)**
      "
    `);
    expect(check(markdown, linked, citations)).toMatchInlineSnapshot(`
      "
      ␛]8;;https://git.example/demo/3f2c1a9/src/retry.ts#L1-L4␛\\src/retry.ts:1-4␛]8;;␛\\, a.ts:7 (not read in
      this run), see ␛]8;;https://e.com/␛\\https://e.com/␛]8;;␛\\␛]8;;file:///x/b.ts#L7␛\\b.ts:7␛]8;;␛\\:

      • **c*.ts:7 (missing: no such file)**
      "
    `);
    expect(check(markdown, colored, citations)).toMatchInlineSnapshot(`
      "
      ␛[4;36msrc/retry.ts:1-4␛[0m, ␛[4;36ma.ts:7␛[0m (not read in
      this run), see ␛[4;34mhttps://e.com/␛[0m␛[4;36mb.ts:7␛[0m:

      • ␛[1mc*.ts:7 (missing: no such file)␛[0m
      "
    `);
  });

  test("a link that only looks like a citation shows where it leads", () => {
    expect(check("[src/retry.ts:1-4](citewell:/x)", plain)).toMatchInlineSnapshot(`
      "
      src/retry.ts:1-4 (citewell:/x)
      "
    `);
  });

  test("images are shown by their text and address", () => {
    expect(check("![a picture](https://example.com/p.png)", plain)).toMatchInlineSnapshot(`
      "
      a picture (https://example.com/p.png)
      "
    `);
  });
});

describe("terminal safety", () => {
  test("control characters and escape sequences are shown, not sent", () => {
    expect(check("\u001B[31mred\u001B]0;title\u0007 &#27;[2J `\u009B2J` \u202Ehidden", plain)).toMatchInlineSnapshot(`
      "
      ‹U+001B›[31mred‹U+001B›]0;title‹U+0007›
      ‹U+001B›[2J \`‹U+009B›2J\` ‹U+202E›hidden
      "
    `);
    expect(check("\u001B[31mred", ascii)).toMatchInlineSnapshot(`
      "
      <U+001B>[31mred
      "
    `);
  });

  test("only our own control sequences reach the terminal, for any input", () => {
    const ours = new RegExp(String.raw`\u001B\[[\d;]+m|\u001B\]8;;[!-~]*\u001B\\`, "g");
    const property = fc.property(hostileAnswer, ({ text, citations }) => {
      const output = render([text], { ...colored, links: true }, citations);
      expect(output).not.toContain("\uFDD0");
      expect(output.replace(ours, "")).not.toMatch(/(?!\n)[\p{Cc}\u202A-\u202E\u2066-\u2069]/u);
    });
    fc.assert(property, { numRuns: 500 });
  });
});

describe("streaming", () => {
  test("any split of the text gives the same output", () => {
    const property = fc.property(hostileAnswer, fc.array(fc.nat(), { maxLength: 8 }), ({ text, citations }, cuts) => {
      const whole = render([text], colored, citations);
      expect(render(splitAt(text, cuts), colored, citations)).toBe(whole);
      expect(render(text.split(""), colored, citations)).toBe(whole);
    });
    fc.assert(property, { numRuns: 500 });
  });

  test("a block comes out when it is complete", () => {
    const renderer = createMarkdownRenderer(plain);
    const deltas = ["Hello ", "world.\n", "\nNext", ":\n- a\n", "- b\n  more\n", "\n", "```\ncode\n", "```\n\n", "end"];
    expect([...deltas.map((delta) => renderer.push(delta)), renderer.end()]).toEqual([
      "",
      "",
      "Hello world.\n",
      "\nNext:\n",
      "• a\n",
      "",
      "• b more\n",
      "\n    code\n",
      "",
      "\nend\n",
    ]);
  });

  test("the view lays out the whole text at any width, again and again, as it would be printed", () => {
    const property = fc.property(
      hostileAnswer,
      fc.array(fc.integer({ min: 20, max: 90 }), { minLength: 1, maxLength: 4 }),
      ({ text: whole, citations }, widths) => {
        const view = createMarkdownView(colored);
        for (const [index, width] of widths.entries()) {
          const text = index === widths.length - 1 ? whole : whole.slice(0, index * 9);
          const shown = view
            .blocks(text, citations)
            .map(({ lines, isTight }) => ({ lines: lines(width), isTight }))
            .filter((block) => block.lines.length > 0);
          const lines = shown
            .flatMap((block, at) => (at === 0 || block.isTight ? block.lines : [[], ...block.lines]))
            .map((line) => `${paintSpans(line, colored)}\n`);
          expect(lines.join("")).toBe(render([text], { ...colored, width }, citations));
        }
      },
    );
    fc.assert(property, { numRuns: 300 });
  });

  test("a list keeps its numbers when its items are printed one by one", () => {
    expect(check("1. a\n1. b\n1. c\n", plain)).toMatchInlineSnapshot(`
      "
      1. a
      2. b
      3. c
      "
    `);
  });

  test("without a terminal the Markdown is printed unchanged", () => {
    const renderer = createMarkdownRenderer({ ...plain, layout: false });
    const deltas = ["# Ti", "tle\n\n| a |\n|-", "|\n**b**"];
    expect([...deltas.map((delta) => renderer.push(delta)), renderer.end()]).toEqual([...deltas, "\n"]);
  });

  test("no text, no output", () => {
    expect(render([], plain) + render(["", "\n\n"], plain) + render([""], { ...plain, layout: false })).toBe("");
  });
});

const marks = [
  "\n",
  "\n\n",
  "- ",
  "1. ",
  "2) ",
  "  ",
  "    ",
  "> ",
  "# ",
  "```",
  "~~~",
  "`",
  "**",
  "_",
  "|",
  "|-|-|\n",
  "---",
];
const links = ["[a](https://x.y)", "[a](", ")", "[b]: c", "<b>", "https://x.y/\u0007", "[a](<https://x.y/\u001B[2J>)"];
const controls = ["&#27;", "\u001B[2J", "\u001B]8;;", "\r\n", "\r", "\t", "\u009B", "\u202E", "\u007F"];
const words = ["日本", "é", "👩‍💻", "word ", "- [ ] ", "\\", "***", "===\n", "citewell:/a"];
const hostilePart = fc.oneof(
  fc.constantFrom(...marks, ...links, ...controls, ...words, "\uFDD0", "<\uFDD00>"),
  fc.string({ maxLength: 5, unit: "binary" }),
);

/** Hostile Markdown with citations in it, as the server writes them. */
const written = [
  "[a.ts:1](https://git.example/a)",
  "[b.ts:7](file:///b.ts#L7) (not read in this run)",
  "c\\*.ts:1 (missing)",
];
const hostileAnswer = fc
  .array(fc.oneof({ weight: 4, arbitrary: hostilePart }, { weight: 1, arbitrary: fc.nat({ max: 2 }) }), {
    maxLength: 25,
  })
  .map((parts) => {
    const texts = parts.map((part) => (typeof part === "string" ? part : (written[part] ?? "")));
    const citations = parts.flatMap((part, index) => {
      const start = texts.slice(0, index).join("").length;
      const textRange = { start, end: start + (texts[index]?.length ?? 0) };
      return typeof part === "string" ? [] : [{ ...citation, id: `c${index}`, textRange }];
    });
    return { text: texts.join(""), citations };
  });

function splitAt(text: string, cuts: readonly number[]): string[] {
  const places = cuts.map((cut) => cut % (text.length + 1)).toSorted((a, b) => a - b);
  return [0, ...places].map((place, index) => text.slice(place, places[index] ?? text.length));
}
