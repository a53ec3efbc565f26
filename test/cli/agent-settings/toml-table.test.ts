import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readTomlTable, removeTomlTable, setTomlTable, tomlFault } from "../../../cli/agent-settings/toml-table.ts";

const place = { parent: "servers", name: "ours" };

/** The text after setting `command`, which must be readable again. */
function check(before: string, after: string): void {
  expect(tomlFault(before, place)).toBeUndefined();
  const edited = setTomlTable(before, place, { command: "new" });
  expect(edited).toBe(after);
  expect(readTomlTable(edited, place)?.["command"]).toBe("new");
}

test("adds the table to an empty file", () => check("", '[servers.ours]\ncommand = "new"\n'));

test("adds the table to a file without a final line end", () =>
  check("a = 1 # end", 'a = 1 # end\n\n[servers.ours]\ncommand = "new"'));

test("adds the table with the file's line ends, after a text that looks like it", () =>
  check(
    'notes = """\r\n[servers.ours]\r\n"""\r\n',
    'notes = """\r\n[servers.ours]\r\n"""\r\n\r\n[servers.ours]\r\ncommand = "new"\r\n',
  ));

test("replaces only the value: comments, other keys and tables below stay", () =>
  check(
    '[servers.ours] # ours\n# why\n"command" = [\n  "old", # ]\n] # moved\nx = 1\n\n[servers.ours.env]\ncommand = "A"\n',
    '[servers.ours] # ours\n# why\n"command" = "new" # moved\nx = 1\n\n[servers.ours.env]\ncommand = "A"\n',
  ));

test("adds a missing key below the header", () =>
  check("[servers.'ours'] # ours\nx = 1\n", "[servers.'ours'] # ours\ncommand = \"new\"\nx = 1\n"));

test("adds a missing key to a header that ends the file", () =>
  check("[servers.ours]", '[servers.ours]\ncommand = "new"'));

test("writes texts, lists and objects so that they are read again", () => {
  const values = { command: 'C:\\a "b"\n', args: ["é", "\u0001"], env: { A: "1" } };
  const text = setTomlTable("", place, values);
  expect(readTomlTable(text, place)).toEqual(values);
  expect(setTomlTable(text, place, values)).toBe(text);
});

test.each([
  ['servers = { ours = { command = "x" } }\n', "servers.ours is written inline"],
  ['servers.ours.command = "x"\n', "servers.ours is written inline"],
  ['[servers]\nours = { command = "x" }\n', "servers.ours is written inline"],
  ["a = [1\n", "Unterminated array"],
  ["[a]\n[a]\n", "Defining a key multiple times is invalid"],
])("%j is not edited", (text, expected) => expect(tomlFault(text, place)).toContain(expected));

test("a table of another server is edited independently", () => {
  expect(tomlFault("[servers]\nother = {}\n[servers.ours]\n", place)).toBeUndefined();
  expect(readTomlTable("[servers.other]\nx = 1\n", place)).toBeUndefined();
});

test("removes the table, the tables below it and their blank lines", () => {
  const text = 'a = 1\n\n[servers.ours]\nx = 1\n\n[servers.ours.env]\nA = "1"\n\n# next\n[servers.other]\n';
  expect(removeTomlTable(text, place)).toBe("a = 1\n\n# next\n[servers.other]\n");
});

test("removing an added table restores the file", () => {
  const line = fc.constantFrom("", "# c", "[a]", "x = 1", "[servers.other]", "y = [\n1]", "[servers.ours2]");
  const file = fc.tuple(fc.uniqueArray(line), fc.constantFrom("\n", "\r\n"), fc.boolean());
  fc.assert(
    fc.property(file, ([lines, lineEnd, isEnded]) => {
      const text = (lines.join("\n") + (isEnded ? "\n" : "")).replaceAll("\n", lineEnd);
      fc.pre(text.trim() !== "");
      expect(removeTomlTable(setTomlTable(text, place, { command: "x" }), place)).toBe(text);
    }),
  );
});
