import { expect, test } from "vitest";
import { jsonDocuments } from "../../../cli/output/json-documents.ts";
import { AskEvent } from "../../../server/protocol/ask.ts";
import { runHere } from "../../support/cli-here.ts";
import { temporaryFolder } from "../../support/folder.ts";

test.each([
  ["ask", ["ask", "-q", "What is retryDelay?", "-r", "./demo", "--thread", "new"]],
  ["search", ["search", "retryDelay", "-r", "./demo"]],
  ["resources", ["resources"]],
  ["add", ["add", "npm:left-pad"]],
  ["remove", ["remove", "zod"]],
  ["remove --dry-run", ["remove", "zod", "--dry-run"]],
  ["clear", ["clear", "--yes"]],
  ["clear --dry-run", ["clear", "--dry-run"]],
  ["status", ["status"]],
  ["mcp local", ["mcp", "local", "--client", "cursor", "--client", "claude-desktop", "--yes"]],
  ["init", ["init", "--storage", "local"]],
  ["wipe", ["wipe", "--yes"]],
  ["wipe --dry-run", ["wipe", "--dry-run"]],
  ["connect", ["connect", "-p", "builtin", "-m", "extractive"]],
  ["threads", ["threads"]],
  ["recheck", ["recheck"]],
])("%s prints what docs/cli-json.md says, and no other field", async (command, args) => {
  await using folder = await temporaryFolder("//- demo/a.ts\nexport const retryDelay = 1;\n");
  const { stdout } = await runHere([...args, "--json"], { cwd: folder.path, env: { CI: "1" } });
  const { schemaVersion, ...document } = JSON.parse(stdout);
  expect(schemaVersion).toBe(1);
  expect(jsonDocuments[command]?.parse(document)).toEqual(document);
});

test("the first line of a failing --jsonl has the shape of a later one", async () => {
  await using folder = await temporaryFolder();
  const { stdout } = await runHere(["ask", "-q", "x", "-r", "./gone", "--jsonl"], { cwd: folder.path });
  expect(AskEvent.parse(JSON.parse(stdout))).toMatchObject({ type: "error", tag: "PathNotFound" });
});
