import { expect, test } from "vitest";
import { readYamlEntry, removeYamlEntry, setYamlEntry, yamlFault } from "../../../cli/agent-settings/yaml-map.ts";

const place = { parent: "extensions", name: "ours" };

/** What the text becomes with `cmd: "new"` set, and that it is read back. */
function check(before: string, after: string): void {
  expect(yamlFault(before, place)).toBeUndefined();
  const edited = setYamlEntry(before, place, { cmd: "new" });
  expect(edited).toBe(after);
  expect(readYamlEntry(edited, place)?.["cmd"]).toBe("new");
}

test("an empty file", () => check("", 'extensions:\n  ours:\n    cmd: "new"\n'));

test("a file with comments only", () => check("# mine\n", '# mine\nextensions:\n  ours:\n    cmd: "new"\n'));

test("a file with other keys, without a last line end", () =>
  check("A: 1\n# end", 'A: 1\n# end\nextensions:\n  ours:\n    cmd: "new"'));

test("a map that is empty", () =>
  check("extensions: {} # none\nA: 1\n", 'extensions:  # none\n  ours:\n    cmd: "new"\nA: 1\n'));

test("a map with others, indented by four, before comments of the next key", () =>
  check(
    "extensions:\n    other:\n        args:\n        - a\n\n# next\nA: 1\n",
    'extensions:\n    other:\n        args:\n        - a\n    ours:\n      cmd: "new"\n\n# next\nA: 1\n',
  ));

test("an entry that is there: other keys and comments stay", () =>
  check(
    "extensions:\n  ours:\n    # why\n    enabled: false # off\n    cmd: |\n      old\n    args:\n    - x\n  other: {}\n",
    'extensions:\n  ours:\n    # why\n    enabled: false # off\n    cmd: "new"\n    args:\n    - x\n  other: {}\n',
  ));

test("keys that are quoted", () =>
  check('"extensions":\n  \'ours\':\n    "cmd": old\n', '"extensions":\n  \'ours\':\n    cmd: "new"\n'));

test.each([
  ["extensions: { other: { cmd: x } }\n", "extensions is written inline"],
  ["extensions:\n  ours: { cmd: x }\n", "extensions.ours is written inline"],
  ["- a\n", "it is no map in block style"],
  ["a: [\n", "Flow sequence"],
])("%j is not edited", (text, expected) => expect(yamlFault(text, place)).toContain(expected));

test("removing takes the map with it only where nothing else is in it", () => {
  expect(removeYamlEntry("A: 1\nextensions:\n  ours:\n    cmd: x\n", place)).toBe("A: 1\n");
  expect(removeYamlEntry("extensions:\n  ours:\n    cmd: x\n  b: {}\n", place)).toBe("extensions:\n  b: {}\n");
});
