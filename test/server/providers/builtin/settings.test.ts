import { describe, expect, test } from "vitest";
import { askBuiltin } from "../../../support/ask-builtin.ts";
import { fixture } from "../../../support/fixture.ts";

describe("what sets it comes first", () => {
  const firstOf = async (tree: string, question: string) => {
    const { text } = await askBuiltin([fixture(tree, { resource: "shop" })], question);
    return /^\*\*1\.\*\* .*$/m.exec(text)?.[0] ?? "";
  };

  test("the document on an environment variable, before code that reads it and other environments", async () => {
    const tree = `//- docs/tills.md
# Tills

At most four tills are open at once, unless \`SHOP_TILL_LIMIT\` is set to another number.
//- src/env.ts
export function readEnvVar(name: string): string | undefined {
  return process.env[name];
}
//- src/tills.ts
const names = ["SHOP_TILL_LIMIT", "SHOP_NAME"];
export function limit(): number {
  const env = process.env["SHOP_TILL_LIMIT"];
  return Number(env ?? 4);
}
`;
    expect(await firstOf(tree, "SHOP_TILL_LIMIT env var?")).toContain("docs/tills.md");
  });

  test.each([
    ["what does shop install do", "src/commands/install.ts"],
    ["what does the upgrade command do", "src/commands/upgrade.ts"],
  ])("the file of a command with a usual name, before the README's section on the project: %s", async (asked, file) => {
    const command = (name: string) =>
      `//- src/commands/${name}.ts\n/** Takes it to the shelf. */\nexport const command = { name: "${name}", run: shelve };\n`;
    const tree = `//- README.md
# Shop

## Install

Download the shop and open its door before you sell anything.

## Upgrade

Close the shop, and open the newer one with all that was sold.
${command("install")}${command("upgrade")}`;
    expect(await firstOf(tree, asked)).toContain(file);
  });

  test.each(["@Till open = true ?", "what about @Till(open = true)"])(
    "a parameter of an annotation: %s",
    async (asked) => {
      const tree = `//- src/Shop.java
/** Whether a till is open, or true if the till is open on Sundays. */
public class TillName {
  boolean open = true;
}
//- src/Till.java
public @interface Till {
  String value() default "";

  /** Whether it is in use. */
  boolean open() default false;
}
`;
      expect(await firstOf(tree, asked)).toContain("defines `Till.open`");
    },
  );

  test("both options that are compared", async () => {
    const tree = `//- docs/shop.8
.It Fl T
Same as
.Fl t ,
but with the back door.
.It Fl t
Opens the till of the shop.
.It Fl V
Prints the version.
//- SECURITY.md
# Front door vs. back door

The shop takes no mail.
`;
    const { text } = await askBuiltin([fixture(tree, { resource: "shop" })], "shop -T vs -t");
    expect(text).toMatch(/\*\*1\.\*\* documents `-T`[^]*Also there, documents `-t`/);
  });
});
