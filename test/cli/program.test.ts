import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createProgram } from "../../cli/program.ts";
import { version } from "../../package.json";
import { runCli } from "../support/cli.ts";
import { type Folder, temporaryFolder } from "../support/folder.ts";

let folder: Folder;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

const run = (...args: string[]) => runCli(args, { cwd: folder.path });

test.each(["--version", "-v"])("%s prints only the version", async (flag) => {
  expect(await run(flag)).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
});

test.each([["--help"], ["-h"], ["help"]])(
  "%s shows purpose, usage, commands, examples and exit codes",
  async (flag) => {
    const { code, stdout, stderr } = await run(flag);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const part of ["Ask any codebase", "Usage: citewell", "  ask", "  serve", "Examples:", "Exit codes:"]) {
      expect(stdout).toContain(part);
    }
  },
);

test.each(["ask", "add", "resources", "remove", "serve", "status"])("%s --help shows its options", async (command) => {
  const { code, stdout } = await run(command, "--help");
  expect(code).toBe(0);
  expect(stdout).toContain(`Usage: citewell ${command}`);
  expect(stdout).toContain("--json");
});

test("serve listens on 8080 by default, and any other command on no port", async () => {
  const { stdout } = await run("serve", "--help");
  expect(stdout).toMatch(/-p, --port <port>[^]*?\(default: 8080\)/);
  expect((await run("ask", "--help")).stdout).toMatch(/--port <port>[^]*?\(default: 0\)/);
});

test("every command's help has its purpose first, then usage, an example, options and a link", async () => {
  const { stdin, stdout, stderr, platform } = process;
  const place = { env: {}, cwd: "/", homeDirectory: "/", platform, program: { runtime: "", file: "" } };
  const { signal } = new AbortController();
  const program = createProgram({ stdin, stdout, stderr, signal, ...place }, () => {});
  const commands = [program, ...program.commands.flatMap((command) => [command, ...command.commands])];
  const visible = commands.filter((command) => !/^(lsp|__complete)$/.test(command.name()));
  for (const command of visible) {
    const text = command.helpInformation();
    const order = [command.description().split(" ")[0] ?? "", "Usage: citewell", "Examples:\n  ", "Options:", "More: "];
    const places = order.map((part) => text.indexOf(part));
    expect({ command: command.name(), places }).toEqual({
      command: command.name(),
      places: places.toSorted((a, b) => a - b),
    });
    expect({ command: command.name(), missing: places.includes(-1) }).toEqual({
      command: command.name(),
      missing: false,
    });
    expect(text).not.toContain("(default: [])");
  }
});

test("ask --version prints the version, too", async () => {
  expect(await run("ask", "--version")).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
});

test.each([[], ["--no-tui"], ["--quiet", "--port", "0"]])(
  "without a command and without a terminal, the help goes to standard error and the exit code is 2: %j",
  async (...args) => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("Usage: citewell");
  },
);

describe("wrong usage ends with 2 and says what is wrong", () => {
  const check = (args: string[], message: string | RegExp) =>
    test(args.join(" "), async () => {
      const { code, stdout, stderr } = await run(...args);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toMatch(message);
    });

  check(["asc"], /^error: unknown command 'asc'\n\(Did you mean ask\?\)\nhint: citewell --help lists the commands\n$/);
  check(["frobnicate"], /^error: unknown command 'frobnicate'\nhint: citewell --help lists the commands\n$/);
  check(["ask", "how?", "-q", "why?"], /^error: two questions were given: "how\?", and one with -q\nhint: [^\n]*\n$/);
  check(["ask", ""], /^error: the question is empty/);
  check(["resour"], /^error: unknown command 'resour'\n/);
  check(["ask", "--frob"], /unknown option '--frob'/);
  check(["serve", "--port", "99999"], /A port is a whole number/);
  check(["serve", "--port", "http"], /A port is a whole number/);
  check(["add"], /no resource was given/);
  check(
    ["add", "x", "--type", "svn"],
    /Allowed choices are git, local, npm, pypi, cargo, maven, golang, gem, composer, nuget/,
  );
  check(["remove"], /no resource was given/);
  check(["ask", "-q"], /argument missing/);
});
