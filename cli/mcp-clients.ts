import path from "node:path";
import type { Terminal } from "./terminal.ts";

export type McpScope = "project" | "user";
export type ClientPlaces = Pick<Terminal, "cwd" | "env" | "homeDirectory" | "platform">;

/** How a client is to start us. */
export interface McpCommand {
  command: string;
  args: string[];
  env?: Record<string, string>;
}

/** An editor or agent, and where it looks for servers. */
export interface McpClient {
  id: string;
  name: string;
  format: "json" | "toml";
  /** The object or table that holds the servers by name. */
  key: string;
  /** By scope the files that it reads; the first that exists is edited, else the first is made. */
  files: Partial<Record<McpScope, (places: ClientPlaces) => readonly string[]>>;
  entry(command: McpCommand): Record<string, unknown>;
}

/** The name of our entry, everywhere. */
export const serverName = "citewell";

/** As the clients' own documentation says it, named at each. */
export const mcpClients: readonly McpClient[] = [
  {
    // https://code.visualstudio.com/docs/copilot/reference/mcp-configuration
    id: "vscode",
    name: "VS Code",
    format: "json",
    key: "servers",
    files: {
      project: ({ cwd }) => [path.join(cwd, ".vscode/mcp.json")],
      user: (places) => [path.join(appData(places), "Code/User/mcp.json")],
    },
    entry: (command) => ({ type: "stdio", ...command }),
  },
  {
    // https://cursor.com/docs/mcp
    id: "cursor",
    name: "Cursor",
    format: "json",
    key: "mcpServers",
    files: {
      project: ({ cwd }) => [path.join(cwd, ".cursor/mcp.json")],
      user: ({ homeDirectory }) => [path.join(homeDirectory, ".cursor/mcp.json")],
    },
    entry: (command) => ({ ...command }),
  },
  {
    // https://code.claude.com/docs/en/mcp
    id: "claude-code",
    name: "Claude Code",
    format: "json",
    key: "mcpServers",
    files: {
      project: ({ cwd }) => [path.join(cwd, ".mcp.json")],
      user: ({ homeDirectory, env }) => [path.join(env["CLAUDE_CONFIG_DIR"] || homeDirectory, ".claude.json")],
    },
    entry: (command) => ({ type: "stdio", ...command }),
  },
  {
    // https://developers.openai.com/codex/mcp
    id: "codex",
    name: "Codex",
    format: "toml",
    key: "mcp_servers",
    files: {
      project: ({ cwd }) => [path.join(cwd, ".codex/config.toml")],
      user: ({ homeDirectory, env }) => [
        path.join(env["CODEX_HOME"] || path.join(homeDirectory, ".codex"), "config.toml"),
      ],
    },
    entry: (command) => ({ ...command }),
  },
  {
    // https://opencode.ai/docs/mcp-servers; OpenCode 2 keeps servers in `mcp.servers`, and reads this shape of OpenCode 1
    // as well: https://opencode.ai/docs/migrate-v1
    id: "opencode",
    name: "opencode",
    format: "json",
    key: "mcp",
    files: {
      project: ({ cwd }) =>
        inFolder(cwd, ["opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"]),
      user: ({ homeDirectory, env }) =>
        inFolder(path.join(env["XDG_CONFIG_HOME"] || path.join(homeDirectory, ".config"), "opencode"), [
          "opencode.json",
          "opencode.jsonc",
        ]),
    },
    entry: ({ command, args, env }) => ({
      type: "local",
      command: [command, ...args],
      enabled: true,
      ...(env === undefined ? {} : { environment: env }),
    }),
  },
  {
    // https://docs.windsurf.com/windsurf/cascade/mcp
    id: "windsurf",
    name: "Windsurf",
    format: "json",
    key: "mcpServers",
    files: { user: ({ homeDirectory }) => [path.join(homeDirectory, ".codeium/windsurf/mcp_config.json")] },
    entry: (command) => ({ ...command }),
  },
  {
    // https://zed.dev/docs/ai/mcp; the folders: zed-industries/zed, crates/paths/src/paths.rs
    id: "zed",
    name: "Zed",
    format: "json",
    key: "context_servers",
    files: {
      project: ({ cwd }) => [path.join(cwd, ".zed/settings.json")],
      user: (places) => {
        if (places.platform === "win32") return [path.join(appData(places), "Zed/settings.json")];
        const folder = places.platform === "darwin" ? path.join(places.homeDirectory, ".config") : appData(places);
        return [path.join(folder, "zed/settings.json")];
      },
    },
    entry: (command) => ({ source: "custom", ...command }),
  },
];

/** Where programs with a window keep their settings. */
function appData({ env, homeDirectory, platform }: ClientPlaces): string {
  if (platform === "win32") return env["APPDATA"] || path.join(homeDirectory, "AppData/Roaming");
  if (platform === "darwin") return path.join(homeDirectory, "Library/Application Support");
  return env["XDG_CONFIG_HOME"] || path.join(homeDirectory, ".config");
}

function inFolder(folder: string, names: readonly string[]): string[] {
  return names.map((name) => path.join(folder, name));
}
