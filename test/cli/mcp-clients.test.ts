import { parseTree, getNodeValue } from "jsonc-parser";
import { expect, test } from "vitest";
import { type ClientPlaces, mcpClients, type McpScope } from "../../cli/mcp-clients.ts";
import { addServer } from "../../cli/mcp-settings.ts";

const windows: ClientPlaces = {
  platform: "win32",
  cwd: String.raw`C:\Users\x y\app`,
  homeDirectory: String.raw`C:\Users\x y`,
  env: { APPDATA: String.raw`D:\Roaming` },
};
const mac: ClientPlaces = {
  platform: "darwin",
  cwd: "/app",
  homeDirectory: "/Users/x",
  env: { XDG_CONFIG_HOME: "/xdg" },
};
const linux: ClientPlaces = {
  platform: "linux",
  cwd: "/app",
  homeDirectory: "/home/x",
  env: { XDG_CONFIG_HOME: "/xdg" },
};

/** The file that would be made; of Windows with its own separators, wherever the test runs. */
function check(id: string, scope: McpScope, places: ClientPlaces, expected: string | undefined): void {
  const file = find(id).files[scope]?.(places)[0];
  expect(places.platform === "win32" ? file?.replaceAll("/", "\\") : file).toBe(expected);
}

function find(id: string) {
  const client = mcpClients.find((candidate) => candidate.id === id);
  if (client === undefined) throw new RangeError(id);
  return client;
}

const files: [id: string, scope: McpScope, places: ClientPlaces, expected: string | undefined][] = [
  ["vscode", "project", windows, String.raw`C:\Users\x y\app\.vscode\mcp.json`],
  ["vscode", "user", windows, String.raw`D:\Roaming\Code\User\mcp.json`],
  ["vscode", "user", { ...windows, env: {} }, String.raw`C:\Users\x y\AppData\Roaming\Code\User\mcp.json`],
  ["vscode", "user", mac, "/Users/x/Library/Application Support/Code/User/mcp.json"],
  ["vscode", "user", linux, "/xdg/Code/User/mcp.json"],
  ["cursor", "project", windows, String.raw`C:\Users\x y\app\.cursor\mcp.json`],
  ["cursor", "user", windows, String.raw`C:\Users\x y\.cursor\mcp.json`],
  ["cursor", "user", mac, "/Users/x/.cursor/mcp.json"],
  ["claude-code", "project", linux, "/app/.mcp.json"],
  ["claude-code", "user", windows, String.raw`C:\Users\x y\.claude.json`],
  ["claude-code", "user", { ...linux, env: { CLAUDE_CONFIG_DIR: "/claude" } }, "/claude/.claude.json"],
  ["codex", "project", linux, "/app/.codex/config.toml"],
  ["codex", "user", windows, String.raw`C:\Users\x y\.codex\config.toml`],
  ["codex", "user", { ...linux, env: { CODEX_HOME: "/codex" } }, "/codex/config.toml"],
  ["opencode", "project", linux, "/app/opencode.json"],
  ["opencode", "user", windows, String.raw`C:\Users\x y\.config\opencode\opencode.json`],
  ["opencode", "user", linux, "/xdg/opencode/opencode.json"],
  ["windsurf", "project", linux, undefined],
  ["windsurf", "user", windows, String.raw`C:\Users\x y\.codeium\windsurf\mcp_config.json`],
  ["windsurf", "user", mac, "/Users/x/.codeium/windsurf/mcp_config.json"],
  ["zed", "project", linux, "/app/.zed/settings.json"],
  ["zed", "user", windows, String.raw`D:\Roaming\Zed\settings.json`],
  ["zed", "user", mac, "/Users/x/.config/zed/settings.json"],
  ["zed", "user", linux, "/xdg/zed/settings.json"],
];

test.each(files)("%s, %s, %j: %s", check);

const command = {
  command: String.raw`C:\Program Files\nodejs\node.exe`,
  args: [String.raw`C:\Users\x y\citewell.mjs`, "mcp"],
  env: { A: "1" },
};

test.each<[id: string, expected: object]>([
  ["vscode", { servers: { citewell: { type: "stdio", ...command } } }],
  ["cursor", { mcpServers: { citewell: command } }],
  ["claude-code", { mcpServers: { citewell: { type: "stdio", ...command } } }],
  [
    "opencode",
    {
      mcp: {
        citewell: {
          type: "local",
          command: [command.command, ...command.args],
          enabled: true,
          environment: command.env,
        },
      },
    },
  ],
  ["windsurf", { mcpServers: { citewell: command } }],
  ["zed", { context_servers: { citewell: { source: "custom", ...command } } }],
])("%s is told how to start it in its own shape", (id, expected) => {
  const root = parseTree(addServer("", find(id), { file: "f", command }));
  expect(root && getNodeValue(root)).toEqual(expected);
});

test("Codex is told in TOML", () => {
  expect(addServer("", find("codex"), { file: "f", command })).toBe(String.raw`[mcp_servers.citewell]
command = "C:\\Program Files\\nodejs\\node.exe"
args = ["C:\\Users\\x y\\citewell.mjs", "mcp"]
env = { A = "1" }
`);
});
