import { execFile } from "node:child_process";
import { access, chmod, lstat, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { mcpClients } from "../../cli/agent-settings/client-list.ts";
import { citewellFile } from "../support/cli.ts";
import { runHere } from "../support/cli-here.ts";
import { type Folder, temporaryFolder } from "../support/folder.ts";
import { startInTerminal } from "../support/pty.ts";

/** Where each client looks, below a home that is the project as well, and what is there before. */
const places: [client: string, scope: string, file: string, existing: string][] = [
  [
    "vscode",
    "project",
    ".vscode/mcp.json",
    '{\n  // mine\n  "servers": { "other": { "command": "x" } },\n  "inputs": []\n}\n',
  ],
  ["vscode", "user", ".config/Code/User/mcp.json", '{\n\t"servers": {\n\t\t"other": {}, // keep\n\t}\n}\n'],
  ["cursor", "project", ".cursor/mcp.json", '{"mcpServers":{"other":{"command":"x"}}}'],
  ["cursor", "user", ".cursor/mcp.json", '{\r\n  "mcpServers": {\r\n    "other": {}\r\n  }\r\n}\r\n'],
  ["claude-code", "project", ".mcp.json", '{\n  "mcpServers": {\n    "other": {}\n  }\n}\n'],
  ["claude-code", "user", ".claude.json", '{\n  "numStartups": 4,\n  "projects": {}\n}\n'],
  ["codex", "project", ".codex/config.toml", 'model = "m" # mine\n\n[mcp_servers.other]\ncommand = "x"\n'],
  ["codex", "user", ".codex/config.toml", '# top\r\nnotes = """\r\n[mcp_servers.citewell]\r\n"""\r\n'],
  ["opencode", "project", "opencode.jsonc", '{\n  // mine\n  "mcp": { "other": { "type": "local" } },\n}\n'],
  ["opencode", "user", ".config/opencode/opencode.json", '{\n  "theme": "dark"\n}\n'],
  ["windsurf", "user", ".codeium/windsurf/mcp_config.json", '{\n  "mcpServers": {\n    "other": {}\n  }\n}\n'],
  ["claude-desktop", "user", ".config/Claude/claude_desktop_config.json", '{\n  "globalShortcut": ""\n}\n'],
  ["gemini", "project", ".gemini/settings.json", '{\n  // mine\n  "mcpServers": { "other": {} }\n}\n'],
  ["gemini", "user", ".gemini/settings.json", '{\n  "security": { "auth": {} }\n}\n'],
  ["copilot", "project", ".mcp.json", '{\n  "mcpServers": {\n    "other": {}\n  }\n}\n'],
  ["copilot", "user", ".copilot/mcp-config.json", '{\n  "mcpServers": {\n    "other": {}\n  }\n}\n'],
  ["qwen", "user", ".qwen/settings.json", '{\n  "$version": 3\n}\n'],
  ["cline", "user", ".cline/data/settings/cline_mcp_settings.json", '{\n  "mcpServers": { "other": {} }\n}\n'],
  ["amp", "user", ".config/amp/settings.json", '{\n  "amp.showCosts": true\n}\n'],
  ["kiro", "user", ".kiro/settings/mcp.json", '{\n  "mcpServers": {\n    "other": {}\n  }\n}\n'],
  [
    "goose",
    "user",
    ".config/goose/config.yaml",
    "# mine\nextensions:\n  other:\n    args:\n    - x # y\n\n# end\nA: 1\n",
  ],
  ["crush", "project", ".crush.json", '{\n  "options": {}\n}\n'],
  ["lm-studio", "user", ".cache/lm-studio/mcp.json", '{\n  "mcpServers": {\n    "other": {}\n  }\n}\n'],
  ["junie", "project", ".junie/mcp/mcp.json", '{\n  "mcpServers": {\n    "other": {}\n  }\n}\n'],
  ["zed", "project", ".zed/settings.json", '// Zed\n{\n  "tab_size": 2,\n}\n'],
  ["zed", "user", ".config/zed/settings.json", '{\n  "context_servers": {\n    "other": {}\n  }\n}\n'],
];

const run = (cwd: string, ...args: string[]) => runHere(["mcp", "local", "--yes", ...args], { cwd });

async function read(folder: Folder, file: string): Promise<string> {
  return readFile(path.join(folder.path, file), "utf8");
}

/** The same as people write it elsewhere. */
const variants: Record<string, (text: string) => string> = {
  "as it is": (text) => text,
  "with a mark of UTF-8 and the line ends of Windows": (text) => `\uFEFF${text.replace(/\r?\n/g, "\r\n")}`,
  "indented with tabs, without a last line end": (text) => text.replace(/^( {2})+/gm, "\t").trimEnd(),
};

/** YAML has no tabs. */
const cases = places.flatMap((place) =>
  Object.keys(variants)
    .filter((variant) => !place[2].endsWith(".yaml") || !variant.includes("tabs"))
    .map((variant) => [...place, variant] as const),
);

describe("mcp local", () => {
  test.each(cases)(
    "%s, %s, %s: keeps %j, changes nothing twice, and undoes itself to the byte: %s",
    async (client, scope, file, text, variant) => {
      const existing = variants[variant]?.(text) ?? "";
      await using folder = await temporaryFolder(`//- ${file}\n`);
      await writeFile(path.join(folder.path, file), existing);
      const chosen = ["--client", client, "--scope", scope];

      const first = await run(folder.path, ...chosen);
      expect(first).toMatchObject({ code: 0, stderr: "" });
      expect(first.stdout).toContain("  + ");
      const added = await read(folder, file);
      expect(added).toContain(JSON.stringify(citewellFile));
      expect(added).toContain(JSON.stringify(process.execPath));
      for (const word of existing.match(/[\w"]+/g) ?? []) expect(added).toContain(word);
      expect(/\r\n/.test(added) && /[^\r]\n/.test(added)).toBe(false);

      const second = await run(folder.path, ...chosen);
      expect(second.stdout).toContain("nothing to change");
      expect(await read(folder, file)).toBe(added);

      await run(folder.path, ...chosen, "--remove");
      expect(await read(folder, file)).toBe(existing);
    },
  );

  test.each(["vscode", "cursor", "claude-code", "codex", "opencode", "zed"])(
    "%s: a file that it made is gone after --remove",
    async (client) => {
      await using folder = await temporaryFolder();
      const { stdout } = await run(folder.path, "--client", client, "--json");
      const file: string = JSON.parse(stdout).files[0].file;
      await access(file);
      await run(folder.path, "--client", client, "--remove");
      await expect(access(file)).rejects.toThrow("ENOENT");
    },
  );

  test("keeps what was added to its own entry, and puts a moved program right", async () => {
    await using folder = await temporaryFolder(`
//- .mcp.json
{ "mcpServers": { "citewell": { "type": "stdio", "command": "old", "args": ["gone", "mcp"], "env": { "A": "1" } } } }
//- .codex/config.toml
[mcp_servers.citewell] # ours
env_vars = ["MINE"]
command = "old" # moved
args = [
  "gone",
  "mcp",
]
tool_timeout_sec = 300

[mcp_servers.citewell.env]
A = "1"
`);
    await run(folder.path, "--client", "claude-code", "--client", "codex");
    const json = JSON.parse(await read(folder, ".mcp.json"));
    expect(json.mcpServers.citewell).toEqual({
      type: "stdio",
      command: process.execPath,
      args: [citewellFile, "mcp"],
      env: { A: "1" },
    });
    expect(await read(folder, ".codex/config.toml")).toMatch(
      /^\[mcp_servers\.citewell\] # ours\nenv_vars = \["MINE", "OPEN/,
    );
    expect(await read(folder, ".codex/config.toml")).toContain(`
command = ${JSON.stringify(process.execPath)} # moved
args = [${JSON.stringify(citewellFile)}, "mcp"]
tool_timeout_sec = 300

[mcp_servers.citewell.env]
A = "1"`);
    await run(folder.path, "--client", "codex", "--remove");
    await expect(read(folder, ".codex/config.toml")).rejects.toThrow("ENOENT");
  });

  test("writes into the file that a link leads to, and leaves both there", async () => {
    await using folder = await temporaryFolder("//- dotfiles/mcp.json\n{}\n");
    await mkdir(path.join(folder.path, ".cursor"));
    await symlink("../dotfiles/mcp.json", path.join(folder.path, ".cursor/mcp.json"));
    await run(folder.path, "--client", "cursor");
    expect(await read(folder, "dotfiles/mcp.json")).toContain(JSON.stringify(citewellFile));
    await run(folder.path, "--client", "cursor", "--remove");
    expect(await read(folder, "dotfiles/mcp.json")).toBe("{}\n");
    expect((await lstat(path.join(folder.path, ".cursor/mcp.json"))).isSymbolicLink()).toBe(true);
  });

  test("leaves a file alone that is read-only", async () => {
    await using folder = await temporaryFolder("//- .mcp.json\n{}\n");
    await chmod(path.join(folder.path, ".mcp.json"), 0o444);
    const { code, stderr } = await run(folder.path, "--client", "claude-code");
    expect(code).not.toBe(0);
    expect(stderr).toContain(".mcp.json is read-only");
    expect(stderr).toContain("make it writable");
    expect(await read(folder, ".mcp.json")).toBe("{}\n");
  });

  test("takes an empty file for one that says nothing", async () => {
    await using folder = await temporaryFolder();
    await writeFile(path.join(folder.path, ".mcp.json"), "");
    await run(folder.path, "--client", "claude-code");
    expect(Object.keys(JSON.parse(await read(folder, ".mcp.json")).mcpServers)).toEqual(["citewell"]);
  });

  test("twice at once is once", async () => {
    await using folder = await temporaryFolder('//- .mcp.json\n{ "mcpServers": { "other": {} } }\n');
    const results = await Promise.all([1, 2, 3].map(() => run(folder.path, "--client", "claude-code")));
    expect(results.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(Object.keys(JSON.parse(await read(folder, ".mcp.json")).mcpServers)).toEqual(["other", "citewell"]);
    expect(await readdir(folder.path)).not.toContainEqual(expect.stringMatching(/^\.mcp\.json./));
  });

  test("keeps what its own program has written while the change was shown", async () => {
    await using folder = await temporaryFolder('//- .claude.json\n{ "numStartups": 4 }\n');
    const session = startInTerminal(["mcp", "local", "--client", "claude-code", "--scope", "user"], {
      cwd: folder.path,
    });
    await session.sees("Write this?");
    await writeFile(path.join(folder.path, ".claude.json"), '{ "numStartups": 5 }\n');
    session.type("y");
    expect(await session.exit).toBe(0);
    expect(JSON.parse(await read(folder, ".claude.json"))).toMatchObject({
      numStartups: 5,
      mcpServers: { citewell: { command: process.execPath } },
    });
  });

  test.each([
    ["claude-code", ".mcp.json", "{ broken"],
    ["claude-code", ".mcp.json", "[]"],
    ["claude-code", ".mcp.json", '{"mcpServers": 1}'],
    ["codex", ".codex/config.toml", 'mcp_servers = { citewell = { command = "x" } }\n'],
  ])("%s: leaves a %s alone that it cannot edit: %s", async (client, file, text) => {
    await using folder = await temporaryFolder(`//- ${file}\n${text}\n`);
    const before = await read(folder, file);
    const { code, stderr } = await run(folder.path, "--client", client);
    expect(code).not.toBe(0);
    expect(stderr).toContain("nothing was changed");
    expect(await read(folder, file)).toBe(before);
  });

  test("writes nothing without a terminal to confirm", async () => {
    await using folder = await temporaryFolder();
    const { code, stdout, stderr } = await runHere(["mcp", "local", "--client", "cursor"], { cwd: folder.path });
    expect(code).toBe(2);
    expect(stdout).toContain('+   "mcpServers"');
    expect(stderr).toContain("--yes");
    await expect(read(folder, ".cursor/mcp.json")).rejects.toThrow("ENOENT");
  });

  test.each([
    [[], "give --client"],
    [["--client", "cursr"], "did you mean cursor"],
    [["--client", "clade"], "did you mean claude-code?"],
    [["--client", "windsurf", "--scope", "project"], "give --scope user"],
  ])("%j is a mistake that says what to do", async (args, expected) => {
    await using folder = await temporaryFolder();
    const { code, stderr } = await run(folder.path, ...args);
    expect(code).toBe(2);
    expect(stderr).toContain(expected);
  });

  test("another word is no misspelt client", async () => {
    await using folder = await temporaryFolder();
    expect((await run(folder.path, "--client", "nope")).stderr).not.toContain("did you mean");
  });

  test("--dry-run shows what would be written, and writes nothing", async () => {
    await using folder = await temporaryFolder();
    const args = ["mcp", "local", "--client", "cursor", "--dry-run"];
    const { code, stdout } = await runHere(args, { cwd: folder.path });
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('+   "mcpServers"') });
    await expect(read(folder, ".cursor/mcp.json")).rejects.toThrow("ENOENT");
  });

  test("without a client names those that are installed first", async () => {
    await using folder = await temporaryFolder("//- .kiro/x\n//- .claude.json\n{}\n//- bin/crush\n");
    await chmod(path.join(folder.path, "bin/crush"), 0o755);
    const env = { PATH: path.join(folder.path, "bin") };
    const { stderr } = await runHere(["mcp", "local"], { cwd: folder.path, env });
    expect(stderr).toContain("give --client, one or more. Found here: claude-code, kiro, crush; others: vscode");
  });

  test("prints the entry for a client that it does not know, and writes the others", async () => {
    await using folder = await temporaryFolder();
    const { code, stdout, stderr } = await run(folder.path, "-c", "my-agent", "-c", "cursor");
    expect(code).toBe(2);
    expect(stdout).toContain("my-agent: paste this into its settings");
    expect(stdout).toContain(JSON.stringify(citewellFile));
    expect(stderr).toContain('no client "my-agent" is known');
    expect(await read(folder, ".cursor/mcp.json")).toContain(JSON.stringify(citewellFile));
  });

  test("prints the entry, and where to paste it, for a client without a file to edit", async () => {
    await using folder = await temporaryFolder();
    const { code, stdout } = await run(folder.path, "-c", "jetbrains");
    expect(code).toBe(0);
    expect(stdout).toContain("paste into Settings, Tools, AI Assistant, Model Context Protocol (MCP)");
    expect(stdout).toContain(JSON.stringify(citewellFile));
    expect((await run(folder.path, "-c", "jetbrains", "--remove")).stderr).toContain("remove the entry under");
  });

  test("writes those that have settings of a project, and says which has none", async () => {
    await using folder = await temporaryFolder();
    const { code, stderr } = await run(folder.path, "-c", "cursor", "-c", "windsurf", "-s", "project");
    expect(code).toBe(2);
    expect(stderr).toContain("Windsurf has no settings for a project");
    expect(stderr).toContain("give --scope user for Windsurf");
    expect(await read(folder, ".cursor/mcp.json")).toContain(JSON.stringify(citewellFile));
  });

  test("says of a file that a team may commit that it names paths of this computer, unless git ignores it", async () => {
    await using folder = await temporaryFolder();
    const warning = "names paths of this computer";
    expect((await run(folder.path, "-c", "cursor")).stdout).toContain(warning);
    expect((await run(folder.path, "-c", "cursor", "-s", "user")).stdout).not.toContain(warning);
    await promisify(execFile)("git", ["init", "--quiet"], { cwd: folder.path });
    await folder.write("//- .gitignore\n.cursor/\n");
    expect((await run(folder.path, "-c", "cursor")).stdout).not.toContain(warning);
  });

  test("writes for a project what starts on any computer, where citewell is on PATH", async () => {
    await using folder = await temporaryFolder("//- bin/x\n");
    await chmod(citewellFile, 0o755);
    await symlink(citewellFile, path.join(folder.path, "bin/citewell"));
    const env = { PATH: `${path.join(folder.path, "bin")}${path.delimiter}${process.env["PATH"]}` };
    const options = { cwd: folder.path, env };
    const project = await runHere(["mcp", "local", "--yes", "-c", "claude", "-s", "project"], options);
    expect(project.stdout).not.toContain("names paths of this computer");
    expect(JSON.parse(await read(folder, ".mcp.json")).mcpServers.citewell).toEqual({
      type: "stdio",
      command: "citewell",
      args: ["mcp"],
    });
    await runHere(["mcp", "local", "--yes", "-c", "claude", "-s", "user"], options);
    expect(JSON.parse(await read(folder, ".claude.json")).mcpServers.citewell.command).toBe(process.execPath);
  });

  test.each([
    ["claude", "approve the server"],
    ["codex", "once the folder is trusted"],
    ["gemini", "trusted folders only"],
    ["copilot", "confirm that you trust it"],
  ])("says what %s still wants", async (client, expected) => {
    await using folder = await temporaryFolder();
    expect((await run(folder.path, "-c", client, "-s", "project")).stdout).toContain(expected);
  });

  test("names the set variables that a client withholds, also with a partial configuration", async () => {
    await using folder = await temporaryFolder();
    const env = { ANTHROPIC_API_KEY: "secret" };
    const args = ["mcp", "local", "--yes", "-c", "copilot", "-s", "user"];
    const { stdout } = await runHere(args, { cwd: folder.path, env });
    expect(stdout).toContain("GitHub Copilot CLI does not pass ANTHROPIC_API_KEY on");
    expect(stdout).not.toContain("secret");
  });

  test("with --quiet and --yes prints nothing", async () => {
    await using folder = await temporaryFolder();
    expect(await run(folder.path, "-c", "cursor", "--quiet")).toEqual({ code: 0, stdout: "", stderr: "" });
    await read(folder, ".cursor/mcp.json");
  });

  test("its help names every client", async () => {
    await using folder = await temporaryFolder();
    const { stdout } = await runHere(["mcp", "local", "--help"], { cwd: folder.path });
    for (const { id } of mcpClients) expect(stdout).toMatch(new RegExp(`\\b${id}\\b`));
  });

  test("prints how agents are to cite", async () => {
    await using folder = await temporaryFolder();
    const { stdout } = await run(folder.path, "--client", "cursor");
    expect(stdout).toContain("Copy citations as they are");
  });
});
