import { describe, expect, test } from "vitest";
import { completeReplLine, readReplLine } from "../../../cli/repl/commands.ts";

describe("a line is a command, a question, or neither", () => {
  const check = (line: string, expected: object) =>
    test(JSON.stringify(line), () => expect(readReplLine(line)).toMatchObject(expected));

  check("+", { type: "include" });
  check("+ 1?", { type: "question", text: "+ 1?" });
  check("/help", { type: "help" });
  check("  /RESOURCES ", { type: "resources" });
  check("/clear", { type: "clear" });
  check("/new", { type: "clear" });
  check('/add "./my lib" -n lib', { type: "program", args: ["add", "./my lib", "-n", "lib"] });
  check("/refresh", { type: "program", args: ["refresh"] });
  check("/resume", { type: "resume", text: "" });
  check("/resume 2", { type: "resume", text: "2" });
  check("/quit", { type: "quit" });
  check("/exit", { type: "quit" });
  check("/clera", { type: "unknown", message: "no command /clera: did you mean /clear?" });
  check("/", { type: "unknown", message: "no command /: /help lists the commands" });
  check("/constructor", { type: "unknown" });
  check("/clear all", { type: "unknown", message: "/clear takes nothing after it" });
  check("/api/users: who answers it?", { type: "question", text: "/api/users: who answers it?" });
  check("What is /help?", { type: "question" });
  check("one\n  two", { type: "question", text: "one\n  two" });
  check(" \t ", { type: "empty" });
});

describe("Tab completes commands, and mentions of resources", () => {
  const check = (text: string, expected: [string[], string]) =>
    test(JSON.stringify(text), () => {
      expect(completeReplLine(text, ["express", "zod", "@tanstack/query"])).toEqual(expected);
    });

  check("/re", [["/resources", "/remove", "/refresh", "/resume"], "/re"]);
  check("/n", [["/new"], "/n"]);
  check("@ex", [["@express "], "@ex"]);
  check("How does (@z", [["@zod "], "@z"]);
  check("and @tan", [["@tanstack/query "], "@tan"]);
  check("@nothing", [[], "@nothing"]);
  check("a@ex", [[], "a@ex"]);
  check("What is ex", [[], "What is ex"]);
  check("see /re", [[], "see /re"]);
});
