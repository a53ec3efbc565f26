import { execFileSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import { keys, tuiWorld } from "../../support/tui-world.ts";

const looks = { toolCalls: [{ name: "history", input: { commit: "HEAD" } }] };

test("a cited commit opens beside the answer, and so do lines that it removed", async () => {
  const text = 'Since [[demo@HEAD "Once was not enough"]] it is two; before [[demo@HEAD^:a.ts#L1]].';
  await using it = await tuiWorld([looks, text]);
  const git = (...args: string[]) => {
    const author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgsign=false"];
    execFileSync("git", [...author, ...args], { cwd: path.join(it.folder.path, "demo"), stdio: "ignore" });
  };
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "-m", "Add the delay");
  await it.folder.write("//- demo/a.ts\nexport const delayMs = 200;\nexport const retries = 3;\n");
  git("commit", "--quiet", "-a", "-m", "Wait longer\n\nOnce was not enough.");
  await using screen = await it.start({ columns: 160 });
  screen.ask("Since when?");
  await screen.shows("2 citations: 2 verified.");
  expect(screen.rows().join("\n")).toMatch(/✓ verified {2}demo@[0-9a-f]{7} +demo · Wait longer/);
  screen.type(keys.ctrl("n"));
  await screen.shows("| Once was not enough.");
  await screen.shows("-1|export const delayMs = 100;");
  expect(screen.rows().join("\n")).not.toContain("example.com");
  screen.type(keys.ctrl("n"));
  await screen.shows("1 ▌export const delayMs = 100;");
});
