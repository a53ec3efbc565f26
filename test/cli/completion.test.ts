import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { citewellFile, cliEnvironment, runCli } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";

const project = `//- citewell.config.jsonc
{ "resources": [{ "type": "npm", "name": "@scope/pad", "package": "left-pad" }], }
`;

async function candidates(words: string[], files = project): Promise<string[]> {
  await using folder = await temporaryFolder(files);
  const { code, stdout, stderr } = await runCli(["__complete", "--", ...words], { cwd: folder.path });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout.split("\n").flatMap((line) => (line === "" ? [] : [line.split("\t")[0] ?? ""]));
}

describe("candidates for the last word", () => {
  const check = (words: string[], expected: string[]) =>
    test(JSON.stringify(words), async () => expect(await candidates(words)).toEqual(expected));

  check(["rem"], ["remove"]);
  check(["ask", "--str"], ["--strict"]);
  check(["--no-th"], ["--no-thinking"]);
  check(["resources", "--js"], ["--json"]);
  check(["ask", "-r", ""], ["express", "zod", "typescript", "@scope/pad"]);
  check(["ask", "--resource", "@s"], ["@scope/pad"]);
  check(["remove", "z"], ["zod"]);
  check(["remove", " "], ["express", "zod", "typescript", "@scope/pad"]);
  check(["add", "--type", ""], ["git", "local", "npm", "pypi", "cargo", "maven", "golang", "gem", "composer", "nuget"]);
  check(["completion", "f"], ["fish"]);
  check(["ask", "-q", ""], []);
  check(["search", "x", "--kind", "co"], ["code", "config"]);
  check(["connect", "-p", "open"], ["openrouter", "opencode", "openai", "openai-compat"]);
  check(["mcp", "local", "--client", "claude-"], ["claude-code", "claude-desktop"]);
  check(["threads", "sh"], ["show"]);
  check(["ask", "--thread", ""], ["new"]);
  check(["resources", "--no-t"], []);
  check(["nonsense", "--js"], ["--json"]);
});

test("conversations are completed by their ids, with how they begin", async () => {
  await using folder = await temporaryFolder("//- demo/a.ts\nexport const retryDelay = 1;\n");
  const run = (...args: string[]) => runCli(args, { cwd: folder.path });
  const asked = await run("ask", "-q", "What is retryDelay?", "-r", "./demo", "--thread", "new", "--json");
  const { thread } = JSON.parse(asked.stdout);
  for (const words of [
    ["threads", "show", ""],
    ["recheck", ""],
    ["ask", "--thread", thread.slice(0, 4)],
  ]) {
    expect((await run("__complete", "--", ...words)).stdout).toMatch(
      new RegExp(`^(new.*\n)?${thread}\tWhat is retryDelay`),
    );
  }
});

test("commands come with their descriptions, hidden ones not at all", async () => {
  await using folder = await temporaryFolder();
  const { stdout } = await runCli(["__complete", "--", ""], { cwd: folder.path });
  expect(stdout).toMatch(/^ask\task a question/m);
  expect(stdout).not.toContain("__complete");
});

test("a broken configuration completes what is left", async () => {
  expect(await candidates(["remove", ""], "//- citewell.config.jsonc\n{ broken\n")).toEqual([
    "express",
    "zod",
    "typescript",
  ]);
});

test.each(["bash", "zsh", "fish", "powershell"])("there is a script for %s", async (shell) => {
  await using folder = await temporaryFolder();
  const { code, stdout } = await runCli(["completion", shell], { cwd: folder.path });
  expect(code).toBe(0);
  expect(stdout).toContain("citewell __complete -- ");
});

test("no shell, or one that is not known, ends with 2", async () => {
  await using folder = await temporaryFolder();
  expect(await runCli(["completion"], { cwd: folder.path })).toMatchObject({ code: 2 });
  expect(await runCli(["completion", "tcsh"], { cwd: folder.path })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("bash, zsh, fish, powershell"),
  });
});

describe("bash completes", () => {
  const check = (line: string, expected: string[]) =>
    test(line, async () => {
      await using folder = await temporaryFolder(project);
      const { stdout: script } = await runCli(["completion", "bash"], { cwd: folder.path });
      // Splits the line as bash does: `@` and `:` are words of their own.
      const driver = `citewell() { "${process.execPath}" "${citewellFile}" "$@"; }
${script}
COMP_LINE=${JSON.stringify(line)}; COMP_POINT=\${#COMP_LINE}
IFS=$'\\n' COMP_WORDS=($(grep -oE '[@:=]+|[^@:= ]+' <<< "$COMP_LINE")); [[ $COMP_LINE == *" " ]] && COMP_WORDS+=("")
COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
_citewell; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const { stdout, stderr } = spawnSync("bash", ["-c", driver], {
        cwd: folder.path,
        env: cliEnvironment(folder.path),
        encoding: "utf8",
      });
      expect({ stderr, found: stdout.trim().split("\n") }).toEqual({ stderr: "", found: expected });
    });

  check("citewell rem", ["remove"]);
  check("citewell ask -r ", ["express", "zod", "typescript", "@scope/pad"]);
  check("citewell remove @sc", ["scope/pad"]);
});
