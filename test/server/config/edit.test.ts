import * as fc from "fast-check";
import { parse, type ParseError } from "jsonc-parser";
import { describe, expect, test } from "vitest";
import { addItem, removeItem, setValue, updateItem } from "../../../server/config/edit.ts";

type Edit = { add: unknown } | { remove: number };

/** The text after one edit of the list under `r`. */
function check(text: string, edit: Edit, expected: string) {
  expect("add" in edit ? addItem(text, "r", edit.add) : removeItem(text, "r", edit.remove)).toBe(expected);
}

describe("adding an item", () => {
  test("inserts it below the last one, whose comment stays with it", () => {
    check(
      lines("{", '  "r": [', "    // first", "    {", '      "n": 1', "    } // one", "  ]", "}"),
      { add: { n: 2 } },
      lines(
        "{",
        '  "r": [',
        "    // first",
        "    {",
        '      "n": 1',
        "    }, // one",
        "    {",
        '      "n": 2',
        "    }",
        "  ]",
        "}",
      ),
    );
  });

  test("follows one line per item, tabs, and the trailing comma", () => {
    check(
      lines("{", '\t"r": [', '\t\t{ "n": 1 }, // one', "\t],", "}"),
      { add: { n: 2, tags: ["a b", "c"] } },
      lines("{", '\t"r": [', '\t\t{ "n": 1 }, // one', '\t\t{ "n": 2, "tags": [ "a b", "c" ] },', "\t],", "}"),
    );
  });

  test("opens an empty list and keeps the comment in it", () => {
    check(
      lines("{", '  "r": [', "    // none yet", "  ]", "}"),
      { add: { n: 1 } },
      lines("{", '  "r": [', "    // none yet", "    {", '      "n": 1', "    }", "  ]", "}"),
    );
  });

  test("keeps CRLF", () => {
    check(
      '{\r\n  "r": []\r\n}\r\n',
      { add: { n: 1 } },
      '{\r\n  "r": [\r\n    {\r\n      "n": 1\r\n    }\r\n  ]\r\n}\r\n',
    );
  });

  test("keeps a list on one line, after its comment", () => {
    check('{ "r": [{ "n": 1 } /* one */] }', { add: { n: 2 } }, '{ "r": [{ "n": 1 }, /* one */ { "n": 2 }] }');
  });

  test("keeps brackets on the same lines as braces", () => {
    check(
      lines("{", '  "r": [{', '    "n": 1', "  }]", "}"),
      { add: { n: 2 } },
      lines("{", '  "r": [{', '    "n": 1', "  }, {", '    "n": 2', "  }]", "}"),
    );
  });
});

describe("removing an item", () => {
  const three = lines(
    "{",
    '  "r": [',
    "    // own line",
    '    { "n": 1 }, // one',
    "    /* two, on its own line */",
    '    { "n": 2 }, // two',
    '    { "n": 3 } // three',
    "  ]",
    "}",
  );

  test("removes the first with the comment on its line only", () => {
    check(three, { remove: 0 }, three.replace('    { "n": 1 }, // one\n', ""));
  });

  test("removes one from the middle", () => {
    check(three, { remove: 1 }, three.replace('    { "n": 2 }, // two\n', ""));
  });

  test("removes the last with the preceding comma, without a trailing comma", () => {
    check(three, { remove: 2 }, three.replace('    { "n": 3 } // three\n', "").replace("}, // two", "} // two"));
  });

  test("removes the last with its own comma, with a trailing comma", () => {
    check('{ "r": [\n  { "n": 1 },\n  { "n": 2 },\n] }', { remove: 1 }, '{ "r": [\n  { "n": 1 },\n] }');
  });

  test("closes an emptied list", () => {
    check(
      lines("{", '  "r": [', "    {", '      "n": 1', "    },", "  ]", "}"),
      { remove: 0 },
      lines("{", '  "r": []', "}"),
    );
  });

  test("closes up a list on one line", () => {
    check('{ "r": [{ "n": 1 }, { "n": 2 }, { "n": 3 }] }', { remove: 1 }, '{ "r": [{ "n": 1 }, { "n": 3 }] }');
    check('{ "r": [{ "n": 1 }, { "n": 2 }] }', { remove: 1 }, '{ "r": [{ "n": 1 }] }');
    check('{ "r": [{ "n": 1 }, /* two */ { "n": 2 }] }', { remove: 0 }, '{ "r": [/* two */ { "n": 2 }] }');
  });

  test("fails if there is no such item", () => {
    expect(() => removeItem('{ "r": [] }', "r", 0)).toThrow("r has no item 0");
  });
});

describe("updating an item", () => {
  const checkUpdate = (text: string, after: Record<string, unknown>, expected: string) =>
    expect(updateItem(text, "r", 0, { before: { n: 1, branch: "main", tags: ["a"] }, after })).toBe(expected);

  test("changes differing fields in place; comments, order and unwritten fields stay", () => {
    checkUpdate(
      lines("{", '  "r": [', "    { // one", '      "tags": ["a"], // tags', '      "n": 1', "    }", "  ]", "}"),
      { n: 2, branch: "main", tags: ["a"], notes: "x" },
      lines(
        "{",
        '  "r": [',
        "    { // one",
        '      "tags": ["a"], // tags',
        '      "n": 2,',
        '      "notes": "x"',
        "    }",
        "  ]",
        "}",
      ),
    );
  });

  test("removes missing fields with their commas", () => {
    const text = lines("{", '  "r": [', "    {", '      "n": 1,', '      "tags": ["a"] // tags', "    }", "  ]", "}");
    checkUpdate(text, { n: 1 }, lines("{", '  "r": [', "    {", '      "n": 1', "    }", "  ]", "}"));
  });

  test("stays on one line", () => {
    checkUpdate(
      '{ "r": [{ "n": 1, "tags": ["a"] }] }',
      { n: 1, branch: "main", tags: ["a", "b"], more: ["c"] },
      '{ "r": [{ "n": 1, "tags": [ "a", "b" ], "more": [ "c" ] }] }',
    );
  });
});

describe("adding a key", () => {
  test("inserts it below the last one, whose comment stays with it", () => {
    expect(setValue('{\n    "m": 1 // one\n}\n', ["d"], ".citewell")).toBe(
      '{\n    "m": 1, // one\n    "d": ".citewell"\n}\n',
    );
  });

  test("opens an empty object", () => {
    expect(setValue("{}\n", ["r"], [{ n: 1 }])).toBe('{\n  "r": [\n    {\n      "n": 1\n    }\n  ]\n}\n');
  });
});

interface Style {
  lineEnd: string;
  unit: string;
  hasTrailingComma: boolean;
}

const styles = fc.record<Style>({
  lineEnd: fc.constantFrom("\n", "\r\n"),
  unit: fc.constantFrom("  ", "\t", "    "),
  hasTrailingComma: fc.boolean(),
});
const entries = fc.array(
  fc.record({ isOneLine: fc.boolean(), hasComment: fc.boolean(), hasCommentAbove: fc.boolean() }),
  { maxLength: 6 },
);

/** A file as people write them; comments on lines of their own are `// own <n>`. */
function write(items: { isOneLine: boolean; hasComment: boolean; hasCommentAbove: boolean }[], style: Style): string {
  const { unit, lineEnd, hasTrailingComma } = style;
  const body = items.flatMap(({ isOneLine, hasComment, hasCommentAbove }, index) => {
    const comma = index < items.length - 1 || hasTrailingComma ? "," : "";
    const end = `}${comma}${hasComment ? ` // of ${index}` : ""}`;
    const above = hasCommentAbove ? [`${unit}${unit}// own ${index}`] : [];
    if (isOneLine) return [...above, `${unit}${unit}{ "n": ${index} ${end}`];
    return [...above, `${unit}${unit}{`, `${unit}${unit}${unit}"n": ${index}`, `${unit}${unit}${end}`];
  });
  const text = [
    "{",
    `${unit}// own top`,
    `${unit}"m": 1, // of m`,
    `${unit}"r": [`,
    ...body,
    `${unit}],`,
    `${unit}/* own end */`,
    "}",
    "",
  ];
  return text.join(lineEnd);
}

describe("any file, any edits", () => {
  test("200 edits produce the expected list and keep comments on their own lines", () => {
    const edits = fc.array(fc.record({ isAdding: fc.boolean(), at: fc.nat() }), { minLength: 200, maxLength: 200 });
    fc.assert(
      fc.property(entries, styles, edits, (items, style, steps) => {
        const original = write(items, style);
        let text = original;
        let expected: { n: number }[] = items.map((_, index) => ({ n: index }));
        for (const [step, { isAdding, at }] of steps.entries()) {
          if (isAdding || expected.length === 0) {
            text = addItem(text, "r", { n: 100 + step });
            expected = [...expected, { n: 100 + step }];
          } else {
            text = removeItem(text, "r", at % expected.length);
            expected = expected.toSpliced(at % expected.length, 1);
          }
          expect(valueOf(text)).toEqual({ m: 1, r: expected });
        }
        expect(text.match(/own \w+/g)).toEqual(original.match(/own \w+/g));
        expect(text).toContain("// of m");
        expect(
          text.split("\n").every((line) => line.endsWith("\r") === (style.lineEnd === "\r\n") || line === ""),
        ).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test("comments and spaces between tokens cause no error", () => {
    const trivia = fc.array(fc.constantFrom(" ", "\n", "\t", "\r\n", "/* , ] */", "// }\n"), { maxLength: 4 });
    const tokens = ["{", '"r"', ":", "[", '{"n":0}', ",", '{"n":1}', ",", '{"n":2}', "]", "}"];
    const trailing = fc.constantFrom("", ",");
    fc.assert(
      fc.property(
        fc.array(trivia, { minLength: 12, maxLength: 12 }),
        trailing,
        fc.nat({ max: 2 }),
        (between, comma, at) => {
          const text = tokens
            .map((token, index) => `${between[index]?.join("")}${token === "]" ? comma : ""}${token}`)
            .join("");
          const kept = [{ n: 0 }, { n: 1 }, { n: 2 }].toSpliced(at, 1);
          expect(valueOf(removeItem(text, "r", at))).toEqual({ r: kept });
          expect(valueOf(addItem(text, "r", { n: 3 }))).toEqual({ r: [{ n: 0 }, { n: 1 }, { n: 2 }, { n: 3 }] });
          expect(valueOf(setValue(text, ["p"], 1))).toEqual({ r: [{ n: 0 }, { n: 1 }, { n: 2 }], p: 1 });
        },
      ),
      { numRuns: 1000 },
    );
  });

  test("removing an added item restores the file", () => {
    fc.assert(
      fc.property(
        entries.filter(({ length }) => length > 0),
        styles,
        (items, style) => {
          const text = write(items, style);
          expect(removeItem(addItem(text, "r", { n: 9 }), "r", items.length)).toBe(text);
        },
      ),
    );
  });
});

function lines(...texts: string[]): string {
  return `${texts.join("\n")}\n`;
}

function valueOf(text: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  expect(errors).toEqual([]);
  return value;
}
