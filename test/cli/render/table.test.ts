import { expect, test } from "vitest";
import { formatWrapped } from "../../../cli/render/table.ts";

test("sentences are wrapped at words, below their own beginning", () => {
  const rows = [
    ["/add", "add a repository, folder or package"],
    ["/quit", "leave"],
  ] as const;
  expect(formatWrapped(rows, 28)).toBe("/add   add a repository,\n       folder or package\n/quit  leave\n");
});
