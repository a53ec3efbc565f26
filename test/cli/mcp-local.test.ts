import { access, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { citewellFile, runCli } from "../support/cli.ts";
import { type Folder, temporaryFolder } from "../support/folder.ts";

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
  ["windsurf", "user", ".codeium/windsurf/mcp_config.json", '{\n  "mcpServers": {}\n}\n'],
  ["zed", "project", ".zed/settings.json", '// Zed\n{\n  "tab_size": 2,\n}\n'],
  ["zed", "user", ".config/zed/settings.json", '{\n  "context_servers": {\n    "other": {}\n  }\n}\n'],
];

const run = (cwd: string, ...args: string[]) => runCli(["mcp", "local", "--yes", ...args], { cwd });

async function read(folder: Folder, file: string): Promise<string> {
  return readFile(path.join(folder.path, file), "utf8");
}

/** The object for servers, or the file, that holds nothing more goes too. */
function withoutShells(text: string): string {
  return text
    .replace(/\s/g, "")
    .replace('"mcpServers":{}', "")
    .replace(/^\{\}$/, "");
}

describe("mcp local", () => {
  test.each(places)(
    "%s, %s: keeps what is there, changes nothing twice, and undoes itself",
    async (client, scope, file, existing) => {
      await using folder = await temporaryFolder();
      await folder.write(`//- ${file}\n`);
      await writeFile(path.join(folder.path, file), existing);
      const chosen = ["--client", client, "--scope", scope];

      const first = await run(folder.path, ...chosen);
      expect(first).toMatchObject({ code: 0, stderr: "" });
      expect(first.stdout).toContain("  + ");
      const added = await read(folder, file);
      expect(added).toContain(JSON.stringify(citewellFile));
      expect(added).toContain(JSON.stringify(process.execPath));
      for (const word of existing.match(/[\w"]+/g) ?? []) expect(added).toContain(word);

      const second = await run(folder.path, ...chosen);
      expect(second.stdout).toContain("nothing to change");
      expect(await read(folder, file)).toBe(added);

      await run(folder.path, ...chosen, "--remove");
      const removed = await read(folder, file).catch(() => "");
      expect(withoutShells(removed)).toBe(withoutShells(existing));
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
    expect(await read(folder, ".codex/config.toml")).toContain(`[mcp_servers.citewell] # ours
command = ${JSON.stringify(process.execPath)} # moved
args = [${JSON.stringify(citewellFile)}, "mcp"]
tool_timeout_sec = 300

[mcp_servers.citewell.env]
A = "1"`);
    await run(folder.path, "--client", "codex", "--remove");
    await expect(read(folder, ".codex/config.toml")).rejects.toThrow("ENOENT");
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

  test("writes nothing where there is nobody to ask", async () => {
    await using folder = await temporaryFolder();
    const { code, stdout, stderr } = await runCli(["mcp", "local", "--client", "cursor"], { cwd: folder.path });
    expect(code).toBe(2);
    expect(stdout).toContain('+   "mcpServers"');
    expect(stderr).toContain("--yes");
    await expect(read(folder, ".cursor/mcp.json")).rejects.toThrow("ENOENT");
  });

  test.each([
    [[], "give --client"],
    [["--client", "cursr"], "did you mean cursor?"],
    [["--client", "windsurf", "--scope", "project"], "give --scope user"],
  ])("%j is a mistake that says what to do", async (args, expected) => {
    await using folder = await temporaryFolder();
    const { code, stderr } = await run(folder.path, ...args);
    expect(code).toBe(2);
    expect(stderr).toContain(expected);
  });

  test("prints how agents are to cite", async () => {
    await using folder = await temporaryFolder();
    const { stdout } = await run(folder.path, "--client", "cursor");
    expect(stdout).toContain("Copy citations as they are");
  });
});
