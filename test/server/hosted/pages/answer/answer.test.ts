import { describe, expect, test } from "vitest";
import { createAnswerText } from "../../../../../server/hosted/pages/answer/answer.ts";
import { type Citation, citationLabel } from "../../../../../server/protocol/citation.ts";

const render = (text: string, citations: Citation[] = []) => createAnswerText("/p/team")({ text, citations });

/** An answer that is one citation, as the server writes it. */
function cite(fields: Partial<Citation>): string {
  const citation: Citation = {
    id: "c1",
    resource: "lib",
    path: "src/retry.ts",
    startLine: 3,
    endLine: 5,
    state: "verified",
    revision: "a".repeat(40),
    ...fields,
  };
  const text = citationLabel(citation);
  return render(text, [{ ...citation, textRange: { start: 0, end: text.length } }]).join("");
}

describe("the text of an answer on the web", () => {
  test.each([
    ["<script>alert(1)</script>"],
    ["a <img src=x onerror=alert(1)> b"],
    ["[a](javascript:alert(1))"],
    ["[a](JaVaScRiPt:alert(1))"],
    ["[a](&#106;avascript:alert(1))"],
    ["[a](data:text/html,<script>alert(1)</script>)"],
    ["[a](vbscript:x)"],
    ["![a](https://example.com/pixel.png)"],
    ["<javascript:alert(1)>"],
    ['[a](https://example.com/"onmouseover="alert(1) "t")'],
    ["| <b>h</b> |\n|---|\n| <i onclick=x>c</i> |"],
    ['```"><script>\n</code></pre><script>\n```'],
    ["# <b>h</b>\n\n- <u>x</u>\n\n> <s>q</s>"],
    [`${"> ".repeat(5000)}<b>`],
  ])("%j makes no element of its own and no link but to the web", (text) => {
    const markup = render(text).join("");
    expect(markup).not.toMatch(/<(script|img|b|i|u|s)\b/i);
    expect(markup.replace(/"[^"]*"/g, '""')).not.toMatch(/<[^>]*\son\w+=/i);
    expect(markup).not.toMatch(/href="(?!https?:)/i);
  });

  test.each([
    [
      "[ext](https://evil.example/?q=1)",
      "https://evil.example/?q=1",
      'ext</a> <span class="muted">(evil.example)</span>',
    ],
    [
      "[github.com](https://evil.example/)",
      "https://evil.example/",
      'github.com</a> <span class="muted">(evil.example)</span>',
    ],
    ["https://example.com/a", "https://example.com/a", "https://example.com/a</a></p>"],
  ])("a link shows its host, unless that is its text: %s", (text, href, shown) => {
    const markup = render(text).join("");
    expect(markup).toContain(`href="${href}"`);
    expect(markup).toContain(shown);
  });

  test("invisible characters are visible", () => {
    expect(render("a\u202Eb `c\u200Bd`").join("")).toBe(
      '<div><p dir="auto">a‹U+202E›b <code>c‹U+200B›d</code></p></div>',
    );
  });

  test("headings are below the heading of the answer, and skip no level", () => {
    const levels = [
      ...render("### a\n\n# b\n\n##### c\n\n## d")
        .join("")
        .matchAll(/<h(\d)/g),
    ].map(([, level]) => level);
    expect(levels).toEqual(["3", "3", "4", "4"]);
  });

  test("a citation links to its lines at their revision, with its state in words", () => {
    const markup = cite({});
    expect(markup).toContain(
      `href="/p/team/source?resource=lib&amp;path=src%2Fretry.ts&amp;revision=${"a".repeat(40)}&amp;lines=L3-L5#L3"`,
    );
    expect(markup).toContain("(verified)");
  });

  test("a citation without lines to open is no link, and says why", () => {
    const markup = cite({ state: "missing", reason: 'no file "<x>"' });
    expect(markup).not.toContain("<a");
    expect(markup).toContain("(missing)");
    expect(markup).toContain("no file &quot;&lt;x&gt;&quot;");
  });

  test("blocks that are settled stay the same while the text grows", () => {
    const text = createAnswerText("/p/team");
    const first = text({ text: "One.\n\nTwo", citations: [] });
    const second = text({ text: "One.\n\nTwo and a half.\n\nThree", citations: [] });
    expect(second[0]).toBe(first[0]);
    expect(second).toHaveLength(3);
  });
});
