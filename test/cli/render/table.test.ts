import { describe, expect, test } from "vitest";
import { formatFitted, formatTable, formatWrapped } from "../../../cli/render/table.ts";
import { displayWidth } from "../../../cli/render/width.ts";

test("sentences are wrapped at words, below their own beginning", () => {
  const rows = [
    ["/add", "add a repository, folder or package"],
    ["/quit", "leave"],
  ] as const;
  expect(formatWrapped(rows, 28)).toBe("/add   add a repository,\n       folder or package\n/quit  leave\n");
});

describe("a table in a terminal", () => {
  const rows = [
    [
      "docs",
      "git",
      "https://github.com/owner/a-long-name/tree/main/packages/documentation",
      "ready, fetched 2 days ago, 1.2 MB",
    ],
    ["zod", "npm", "zod", "fetched when it is asked"],
  ];

  test("is as it is where it fits", () => {
    expect(formatFitted(rows, 200)).toBe(formatTable(rows));
    expect(formatFitted([], 60)).toBe("");
  });

  test("wraps at words, and cuts long paths in their middle", () => {
    expect(formatFitted(rows, 80)).toMatchInlineSnapshot(`
      "docs  git  https://github.co…es/documentation  ready, fetched 2 days ago, 1.2 MB
      zod   npm  zod                                 fetched when it is asked
      "
    `);
    expect(formatFitted(rows, 60)).toMatchInlineSnapshot(`
      "docs  git  https://git…cumentation  ready, fetched 2 days
                                          ago, 1.2 MB
      zod   npm  zod                      fetched when it is asked
      "
    `);
  });

  test("has the other cells below the first one where columns would be too narrow", () => {
    expect(formatFitted(rows, 40)).toMatchInlineSnapshot(`
      "docs
        git
        https://github.com/…ages/documentation
        ready, fetched 2 days ago, 1.2 MB
      zod
        npm  zod  fetched when it is asked
      "
    `);
  });

  test.each([20, 40, 60, 80, 100])("breaks no word and is not wider than %i columns", (columns) => {
    const table = formatFitted(rows, columns);
    for (const line of table.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
    const words = new Set(rows.flat().flatMap((cell) => cell.split(" ")));
    const broken = table.split(/\s+/).filter((word) => word !== "" && !word.includes("…") && !words.has(word));
    expect(broken).toEqual([]);
  });
});
