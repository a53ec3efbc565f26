import { describe, expect, test } from "vitest";
import { type Intent, intentOf, messageParts } from "../../../../server/providers/builtin/intent.ts";
import { askBuiltin } from "../../../support/ask-builtin.ts";
import { fixture } from "../../../support/fixture.ts";

describe("a message is read", () => {
  test.each<[string, string, string]>([
    ["after its announcement", "since today i get: Till is not open yet. but I opened it, why", "Till is not open yet"],
    ["after a line", "the tool crashes with\n\nTill is not open yet\n\nwhy?", "Till is not open yet"],
    ["in quotes", 'shop run says "Till is not open yet" what does that mean', "Till is not open yet"],
    ["in single quotes", "what does 'Till is not open yet' mean", "Till is not open yet"],
    ["after a level", "[error] Till is not open yet -- why?", "Till is not open yet"],
    ["after a position", "3:14  warning  Till is not open yet  -- what does it mean?", "Till is not open yet"],
    ["after an exception", "ShopError: Till is not open yet. Did you close it?", "Till is not open yet"],
    ["before a question", "'main' till not found. Any of: [a1, b2] - I opened it, what is wrong??", "till not found"],
    ["before a line", 'Till "main" could not open\nbut it is there, isn\'t it?', "could not open"],
    ["before another sentence", "Cannot open the till: 4. my shop is new, do I need a key?", "Cannot open the till"],
    ["with an apostrophe", "error: Till isn't open and can't be used", "Till isn't open and can't be used"],
  ])("%s", (_, asked, part) => {
    expect(intentOf(asked)).toBe("message");
    expect(messageParts(asked).some((one) => one.endsWith(part))).toBe(true);
  });

  test.each<[string, Intent]>([
    ["who calls get config of the store", "callers"],
    ["how do I get the name of the open till", "usage"],
    ["where are the error messages of a till set", "definition"],
    ["The till of my shop has two drawers. How do I open both?", "usage"],
  ])("but not in %s", (asked, intent) => {
    expect(intentOf(asked)).toBe(intent);
  });
});

describe("the place that produces a message comes first", () => {
  const ask = async (tree: string, question: string) => {
    const { text } = await askBuiltin([fixture(tree, { resource: "shop" })], question);
    return text.split("\n").flatMap((line) => /^\*\*\d\.\*\* .*\[\[shop:([^#]*)#/.exec(line)?.[1] ?? []);
  };

  const blog = `//- blog/a.md
# Notes

The tool printed "No till could be found for shop" twice.
`;

  test("with values filled in anywhere, before a page with the whole message", async () => {
    const tree = `${blog}//- src/till.ts
export function findTill(shop: string, kind: string): never {
  throw new Error(\`No \${kind} could be found for \${shop}\`);
}
`;
    expect((await ask(tree, '[error] No till could be found for shop "main"'))[0]).toBe("src/till.ts");
  });

  test("in an attribute, before a comment and the places far down that have less of it", async () => {
    const others = Array.from(
      { length: 12 },
      (_, index) => `//- a/${index}.rs\nfn f${index}() { log("could not be opened by f${index}") }\n`,
    ).join("");
    const tree = `//- src/a.rs
// The till "main" could not be opened by the owner of the shop.
fn open() {}
${others}//- src/error.rs
pub enum Error {
    #[error("The till {name:?} could not be opened by the owner")]
    Closed { name: String },
}
`;
    expect((await ask(tree, 'The till "main" could not be opened by the owner'))[0]).toBe("src/error.rs");
  });

  test("even if it names what most projects have a page for", async () => {
    const tree = `//- SECURITY.md
# Security policy

Report it by mail.
//- src/net.ts
export function connect(host: string): never {
  throw new Error(\`plain text to \${host} not permitted by security policy\`);
}
`;
    expect((await ask(tree, "plain text to 10.0.0.2 not permitted by security policy"))[0]).toBe("src/net.ts");
  });

  test("even if a file has the name that is filled in", async () => {
    const tree = `//- test/src/main.js
run();
//- src/link.js
export const missing = (name, from) => error(name + "is not exported by " + from);
`;
    expect((await ask(tree, 'Error: "default" is not exported by "src/main.js"'))[0]).toBe("src/link.js");
  });

  test.each<[string, string, string]>([
    [
      "put together from pieces, before one that only begins alike",
      `throw new Error("Till '" + name + "' not found. Open tills are " + tills);`,
      "Till 'main' not found. Open tills are [a1, b2] - I opened three, what is wrong??",
    ],
    [
      "with a name of code filled in, over two lines",
      'log("could not open %s, you should "\n      "increase %s_count: %i", name, name, count);',
      "shop: [emerg] could not open main_till, you should increase main_till_count: 32",
    ],
  ])("%s", async (_, statement, asked) => {
    const tree = `//- docs/tills.md
# Tills

Open tills are found by their name. What is wrong with a till that I opened? Three tills are open in main.
//- src/a.js
export function check(name) {
  log("could not open optimal %s, you should increase either %s_size: %i or %s_count: %i", name);
  log("not found. Open tills are closed at night");
}
//- src/till.js
export function open(name, count, tills) {
  ${statement}
}
`;
    expect((await ask(tree, asked))[0]).toBe("src/till.js");
  });

  test("whatever else is said", async () => {
    const tree = `//- src/till.ts
export const errors = { 1: "Till is closed" };
`;
    const asked =
      'getting 400 with {"code":1,"message":"Till is closed"} when we run two shops behind one and the same door';
    expect((await ask(tree, asked))[0]).toBe("src/till.ts");
  });

  test("but a few words in common are none", async () => {
    const tree = `//- docs/tills.md
# Tills

## Counting with two hands

Counting with two hands, or with a machine, needs a second key.
//- src/till.ts
export const none = "a key is not supported";
`;
    expect((await ask(tree, "error: counting with two hands, including machines, is not supported"))[0]).toBe(
      "docs/tills.md",
    );
  });
});
