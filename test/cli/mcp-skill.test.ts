import path from "node:path";
import { expect, test } from "vitest";
import { skillText } from "../../cli/agent-settings/skill.ts";
import { runCli } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";

const files = `
//- app/package.json
{ "name": "app" }
//- app/src/retry.ts
/** Reads the Retry-After header. */
export class RetryHandler {
  retryLater(): void {
    wait();
  }
}
export const handler = new RetryHandler();
//- app/answer.md
It waits (src/retry.ts:2-6).
`;

test("the skill is printed as it is, with a name and when to use it", async () => {
  await using folder = await temporaryFolder(files);
  const { code, stdout } = await runCli(["mcp", "skill"], { cwd: folder.path });
  expect({ code, stdout }).toEqual({ code: 0, stdout: skillText });
  expect(stdout).toMatch(/^---\nname: citewell\ndescription: .{100,400}\n---\n/);
});

test("each command that it names works", async () => {
  await using folder = await temporaryFolder(files);
  const commands = [...skillText.matchAll(/`citewell ((?:search|verify) [^`]+)`/g)].map(([, text = ""]) => {
    return [...text.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
  });
  expect(commands.length).toBeGreaterThan(5);
  for (const command of commands) {
    const args = command.map((word) => (word.startsWith("npm:") ? "." : word));
    const env = { HOME: folder.path, CITEWELL_HOME: path.join(folder.path, ".home") };
    const { code } = await runCli(args, { cwd: path.join(folder.path, "app"), env, stdin: "" });
    expect([args, code]).toEqual([args, 0]);
  }
});
