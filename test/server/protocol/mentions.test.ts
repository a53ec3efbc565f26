import { describe, expect, test } from "vitest";
import { extractMentions } from "../../../server/protocol/mentions.ts";

const projects = ["app", "site"];
const exists = (path: string) => path === "./src" || path === "~/notes";
const names = ["express", "@scope/pkg", "types"];

describe("extractMentions", () => {
  const check = (question: string, expected: { question: string; resources: string[] }) =>
    test(question, () => expect(extractMentions(question, { names, projects, exists })).toEqual(expected));
  const keep = (question: string) => check(question, { question, resources: [] });

  check("How does @express route?", { question: "How does route?", resources: ["express"] });
  check("@express how does it route", { question: "how does it route", resources: ["express"] });
  check("How does routing work in @express?", { question: "How does routing work in?", resources: ["express"] });
  check("Compare @express, @scope/pkg.", { question: "Compare,.", resources: ["express", "@scope/pkg"] });
  check("What is in @npm:zod@4.0.0?", { question: "What is in?", resources: ["npm:zod@4.0.0"] });
  check("What changed since @express@v4.18.2?", { question: "What changed since?", resources: ["express@v4.18.2"] });
  check("Compare @scope/pkg@1 and @express", { question: "Compare and", resources: ["@scope/pkg@1", "express"] });
  keep("Who is @express@?");
  keep("Who is @someone@example?");
  check("Read @https://github.com/a/b please", {
    question: "Read please",
    resources: ["https://github.com/a/b"],
  });
  check("Look into @./src and @./src", { question: "Look into and", resources: ["./src"] });
  keep("What does @Injectable do?");
  keep("Who is a@b.c?");
  keep("Why @types/node?");
  check("What is in @.?", { question: "What is in?", resources: projects });
  check("@workspace what is this", { question: "what is this", resources: projects });
  check("Read @~/notes, please", { question: "Read, please", resources: ["~/notes"] });
  keep("What does @/lib/utils export?");
  keep("Who imports @./missing and @~/missing?");
  keep("Say @ to me");
  keep("Why @!?");
});

test("without an open project `@.` is the working directory, and `@workspace` is text", () => {
  const known = { names, exists: (path: string) => path === "." };
  expect(extractMentions("@workspace in @.", known)).toEqual({ question: "@workspace in", resources: ["."] });
});

test("the time grows with the length of a question, not with its square", () => {
  const question = `@${"!".repeat(500_000)}x`;
  expect(extractMentions(question, { names, exists })).toEqual({ question, resources: [] });
});
