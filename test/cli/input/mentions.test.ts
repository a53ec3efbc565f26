import { describe, expect, test } from "vitest";
import { noteMisspelt } from "../../../cli/input/mentions.ts";
import { joinAttachedText } from "../../../server/protocol/attached-text.ts";

describe("noteMisspelt", () => {
  const names = ["express", "zod", "input-mask", "@types/node", "nodes"];
  const check = (question: string, expected: readonly string[], projects: readonly string[] = []) =>
    test(question, () => {
      const notes = expected.map((pair) => {
        const [word, name] = pair.split(" → ");
        return `no resource named "${word}"; did you mean @${name}?`;
      });
      expect(noteMisspelt(question, { names, projects })).toEqual(notes);
    });

  check("@expres how are routes matched?", ["expres → express"]);
  check("How does (@exprss, @zodd) and @exprss differ from @zod?", ["exprss → express", "zodd → zod"]);
  check("Does @Express parse?", ["Express → express"]);
  check("What is in @types-node?", ["types-node → types/node"]);
  check("What is in @workspce?", ["workspce → workspace"], ["app"]);
  check("What is in @workspce ?", []);

  check("@nobody, @z and @zo", []);
  check("What does @Input do?", []);
  check("@types/nodes, @lib/express and @expres/core", []);
  check("@Expres() and @Expres({ a: 1 })", []);
  check("mail me@expres or a@zodd.dev", []);
  check("`@expres` and\n```ts\n@expres\nclass A {}\n``` and ```\n@zodd", []);
  check(joinAttachedText("Why?", "see @expres"), []);
});
