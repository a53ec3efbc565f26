import { parseTree, getNodeValue } from "jsonc-parser";
import { expect, test } from "vitest";
import { mcpClients } from "../../../cli/agent-settings/client-list.ts";
import { type ClientPlaces, findClient, type McpScope } from "../../../cli/agent-settings/clients.ts";
import { addServer, readServer } from "../../../cli/agent-settings/settings.ts";

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
  ["claude-desktop", "user", windows, String.raw`D:\Roaming\Claude\claude_desktop_config.json`],
  ["claude-desktop", "user", mac, "/Users/x/Library/Application Support/Claude/claude_desktop_config.json"],
  ["claude-desktop", "user", linux, "/xdg/Claude/claude_desktop_config.json"],
  ["claude-desktop", "project", linux, undefined],
  ["gemini-cli", "project", linux, "/app/.gemini/settings.json"],
  ["gemini-cli", "user", windows, String.raw`C:\Users\x y\.gemini\settings.json`],
  ["gemini-cli", "user", { ...linux, env: { GEMINI_CLI_HOME: "/g" } }, "/g/.gemini/settings.json"],
  ["copilot-cli", "project", linux, "/app/.mcp.json"],
  ["copilot-cli", "user", windows, String.raw`C:\Users\x y\.copilot\mcp-config.json`],
  ["copilot-cli", "user", { ...linux, env: { COPILOT_HOME: "/c" } }, "/c/mcp-config.json"],
  ["qwen-code", "project", linux, "/app/.qwen/settings.json"],
  ["qwen-code", "user", mac, "/Users/x/.qwen/settings.json"],
  ["cline", "user", mac, "/Users/x/.cline/data/settings/cline_mcp_settings.json"],
  ["cline", "user", { ...linux, env: { CLINE_DATA_DIR: "/d" } }, "/d/settings/cline_mcp_settings.json"],
  ["cline", "user", { ...linux, env: { CLINE_MCP_SETTINGS_PATH: "/own.json" } }, "/own.json"],
  ["amp", "project", linux, "/app/.amp/settings.json"],
  ["amp", "user", windows, String.raw`C:\Users\x y\.config\amp\settings.json`],
  ["amp", "user", linux, "/xdg/amp/settings.json"],
  ["kiro", "project", linux, "/app/.kiro/settings/mcp.json"],
  ["kiro", "user", windows, String.raw`C:\Users\x y\.kiro\settings\mcp.json`],
  ["goose", "user", windows, String.raw`D:\Roaming\Block\goose\config\config.yaml`],
  ["goose", "user", { ...mac, env: {} }, "/Users/x/.config/goose/config.yaml"],
  ["goose", "user", linux, "/xdg/goose/config.yaml"],
  ["crush", "project", linux, "/app/crush.json"],
  ["crush", "user", linux, "/xdg/crush/crush.json"],
  ["crush", "user", windows, String.raw`C:\Users\x y\.config\crush\crush.json`],
  ["lm-studio", "user", mac, "/Users/x/.lmstudio/mcp.json"],
  ["junie", "project", linux, "/app/.junie/mcp/mcp.json"],
  ["junie", "user", linux, "/home/x/.junie/mcp/mcp.json"],
  ["jetbrains", "user", linux, undefined],
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
  ["claude-desktop", { mcpServers: { citewell: command } }],
  ["copilot-cli", { mcpServers: { citewell: { type: "stdio", ...command, tools: ["*"] } } }],
  ["qwen-code", { mcpServers: { citewell: command } }],
  ["cline", { mcpServers: { citewell: { transport: { type: "stdio", ...command }, disabled: false } } }],
  ["amp", { "amp.mcpServers": { citewell: command } }],
  ["kiro", { mcpServers: { citewell: command } }],
  ["crush", { mcp: { citewell: { type: "stdio", ...command } } }],
  ["lm-studio", { mcpServers: { citewell: command } }],
  ["junie", { mcpServers: { citewell: command } }],
])("%s gets a start command in its own format", (id, expected) => {
  const root = parseTree(addServer("", find(id), { file: "f", command, env: {} }));
  expect(root && getNodeValue(root)).toEqual(expected);
});

test("Codex gets TOML, with the names of the variables that it withholds", () => {
  const text = addServer("", find("codex"), { file: "f", command, env: { ANTHROPIC_API_KEY: "secret" } });
  expect(text).toContain(String.raw`[mcp_servers.citewell]
command = "C:\\Program Files\\nodejs\\node.exe"
args = ["C:\\Users\\x y\\citewell.mjs", "mcp"]
env = { A = "1" }
env_vars = ["OPENROUTER_API_KEY", `);
  for (const name of ["ANTHROPIC_API_KEY", "CITEWELL_HOME", "XDG_DATA_HOME", "HTTPS_PROXY", "SSL_CERT_FILE"]) {
    expect(text).toContain(JSON.stringify(name));
  }
  expect(text).not.toContain("secret");
});

test("Gemini CLI gets references to keys, and to certificates in use, never values", () => {
  const env = { ANTHROPIC_API_KEY: "secret", NODE_EXTRA_CA_CERTS: "/ca.pem", SSL_CERT_FILE: "" };
  const root = parseTree(addServer("", find("gemini-cli"), { file: "f", command, env }));
  const written = root && getNodeValue(root).mcpServers.citewell.env;
  expect(written).toMatchObject({
    A: "1",
    ANTHROPIC_API_KEY: "${ANTHROPIC_API_KEY:-}",
    OPENAI_API_KEY: "${OPENAI_API_KEY:-}",
    NODE_EXTRA_CA_CERTS: "${NODE_EXTRA_CA_CERTS:-}",
  });
  expect(written).not.toHaveProperty("SSL_CERT_FILE");
});

test("Goose gets YAML", () => {
  expect(addServer("", find("goose"), { file: "f", command, env: {} })).toBe(String.raw`extensions:
  citewell:
    enabled: true
    type: "stdio"
    name: "citewell"
    cmd: "C:\\Program Files\\nodejs\\node.exe"
    args: ["C:\\Users\\x y\\citewell.mjs","mcp"]
    envs: {"A":"1"}
    timeout: 300
`);
});

test.each([
  ["gemini", "gemini-cli"],
  ["Copilot", "copilot-cli"],
  ["claude", "claude-code"],
  ["qwen", "qwen-code"],
  ["lmstudio", "lm-studio"],
])("%s is %s", (name, id) => expect(findClient(name)?.id).toBe(id));

test("no two clients have a name in common", () => {
  const names = mcpClients.flatMap(({ id, aliases = [] }) => [id, ...aliases]);
  expect(new Set(names).size).toBe(names.length);
});

test.each(["json", "toml", "yaml"])("what is written as %s is read again", (format) => {
  const clients = mcpClients.filter((client) => client.format === format);
  for (const client of clients) {
    const text = addServer("", client, { file: "f", command, env: {} });
    expect(readServer(text, client, { file: "f" })).toEqual({ command: command.command, args: command.args });
  }
});
