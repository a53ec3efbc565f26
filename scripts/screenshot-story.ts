import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import type { ScriptedStep } from "../test/support/scripted-model.ts";

const root = path.resolve(import.meta.dirname, "..");
/** The file that the pictures' answer cites. */
const source = "server/providers/retry.ts";

/** The question of the pictures, about Citewell's own source. */
export const question = "How does Citewell wait when a provider says Retry-After?";

/** A part of this repository as workspace, and an installed package. */
export function workspace(): string {
  const own = execFileSync("git", ["ls-files", "server", "README.md", "package.json"], { cwd: root, encoding: "utf8" });
  const packages = ["picomatch"].flatMap((name) => [
    `node_modules/${name}/package.json`,
    `node_modules/${name}/README.md`,
  ]);
  const files = [...own.trim().split("\n"), ...packages];
  return files
    .map((file) => `//- ${file}\n${readFileSync(path.join(root, file), "utf8").replaceAll(/^\/\/- /gm, "// - ")}`)
    .join("");
}

export function script(): ScriptedStep[] {
  return [
    {
      reasoning:
        "The header is read where an answer of the provider is judged. I look for it first, then read the file whole.",
      toolCalls: [
        { name: "search", input: { query: "Retry-After header of a provider's answer", resource: "citewell" } },
        { name: "grep", input: { pattern: "retryAfterMs", resource: "citewell" } },
      ],
    },
    { toolCalls: [{ name: "read", input: { path: source, resource: "citewell" } }] },
    {
      text: [
        "Citewell waits **as long as the provider asks**, within bounds:\n\n",
        `1. \`retryAfterMs\` reads the header: seconds, a date, or OpenAI's finer \`retry-after-ms\` ${cite("export function retryAfterMs")}.\n`,
        `2. Without one, the delay doubles with each attempt ${cite("export async function withRetries")}.\n\n`,
        "The wait ends at once when the question is cancelled.",
      ],
      usage: { input: 5210, output: 148 },
    },
  ];
}

/** A citation marker for the declaration that starts with this text. */
function cite(start: string): string {
  return `[[citewell:${source}#L${firstLine(start)}-L${lastLine(start)}]]`;
}

export function firstLine(start: string): number {
  return 1 + sourceLines().findIndex((line) => line.startsWith(start));
}

function lastLine(start: string): number {
  return 1 + sourceLines().findIndex((line, index) => index >= firstLine(start) && line.startsWith("}"));
}

function sourceLines(): string[] {
  return readFileSync(path.join(root, source), "utf8").split("\n");
}
