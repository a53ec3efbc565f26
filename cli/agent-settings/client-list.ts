import path from "node:path";
import type { ClientPlaces, McpClient } from "./clients.ts";
import { environmentReferences, passedVariables } from "./environment.ts";

/** Each as its own documentation or source describes it, which is named there. */
export const mcpClients: readonly McpClient[] = [
  {
    // https://code.visualstudio.com/docs/copilot/reference/mcp-configuration
    id: "vscode",
    aliases: ["code", "vs-code", "visual-studio-code"],
    name: "VS Code",
    format: "json",
    key: "servers",
    files: {
      project: ({ cwd }) => [path.join(cwd, ".vscode/mcp.json")],
      user: (places) => [path.join(appData(places), "Code/User/mcp.json")],
    },
    entry: (command) => ({ type: "stdio", ...command }),
    programs: ["code"],
    folders: (places) => [path.join(appData(places), "Code/User")],
    next: { project: "Start the server above its entry in .vscode/mcp.json, and trust it when VS Code asks." },
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
    programs: ["cursor", "cursor-agent"],
    folders: ({ homeDirectory }) => [path.join(homeDirectory, ".cursor")],
    next: { project: "Switch it on under Settings, MCP." },
  },
  {
    // https://code.claude.com/docs/en/mcp
    id: "claude-code",
    aliases: ["claude"],
    name: "Claude Code",
    format: "json",
    key: "mcpServers",
    files: {
      project: ({ cwd }) => [path.join(cwd, ".mcp.json")],
      user: ({ homeDirectory, env }) => [path.join(env["CLAUDE_CONFIG_DIR"] || homeDirectory, ".claude.json")],
    },
    entry: (command) => ({ type: "stdio", ...command }),
    programs: ["claude"],
    folders: ({ homeDirectory, env }) => [env["CLAUDE_CONFIG_DIR"] || path.join(homeDirectory, ".claude")],
    next: { project: "Start `claude` in this folder and approve the server, which it asks about once." },
  },
  {
    // https://modelcontextprotocol.io/docs/develop/connect-local-servers; on Linux, where it is unofficial, by analogy
    id: "claude-desktop",
    name: "Claude Desktop",
    format: "json",
    key: "mcpServers",
    files: { user: (places) => [path.join(appData(places), "Claude/claude_desktop_config.json")] },
    entry: (command) => ({ ...command }),
    folders: (places) => [path.join(appData(places), "Claude")],
    next: { user: "Quit it and start it again." },
    withholds: passedVariables,
  },
  {
    // https://developers.openai.com/codex/mcp
    id: "codex",
    aliases: ["openai-codex", "codex-cli"],
    name: "Codex",
    format: "toml",
    key: "mcp_servers",
    files: {
      project: ({ cwd }) => [path.join(cwd, ".codex/config.toml")],
      user: (places) => [path.join(codexHome(places), "config.toml")],
    },
    // Codex starts servers with HOME, PATH and little more.
    entry: (command) => ({ ...command, env_vars: [...passedVariables] }),
    programs: ["codex"],
    folders: (places) => [codexHome(places)],
    next: { project: "It reads this file once the folder is trusted: start `codex` here and trust it." },
  },
  {
    // https://geminicli.com/docs/tools/mcp-server
    id: "gemini-cli",
    aliases: ["gemini"],
    name: "Gemini CLI",
    format: "json",
    key: "mcpServers",
    files: {
      project: ({ cwd }) => [path.join(cwd, ".gemini/settings.json")],
      user: (places) => [path.join(geminiHome(places), "settings.json")],
    },
    // Gemini CLI withholds variables whose names look like secrets, and resolves references to them.
    entry: ({ env = {}, ...command }, places) => ({
      ...command,
      env: { ...env, ...environmentReferences(places.env) },
    }),
    programs: ["gemini"],
    folders: (places) => [geminiHome(places)],
    next: {
      project: "It starts servers in trusted folders only: start `gemini` here and trust the folder.",
      user: "It starts servers in trusted folders only: trust a folder when `gemini` asks.",
    },
  },
  {
    // https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers
    id: "copilot-cli",
    aliases: ["copilot", "github-copilot", "github-copilot-cli"],
    name: "GitHub Copilot CLI",
    format: "json",
    key: "mcpServers",
    files: {
      project: ({ cwd }) => [path.join(cwd, ".mcp.json"), path.join(cwd, ".github/mcp.json")],
      user: (places) => [path.join(copilotHome(places), "mcp-config.json")],
    },
    // `stdio`, not `local`: Claude Code reads the same project file and skips a server of a type that it does not know.
    entry: (command) => ({ type: "stdio", ...command, tools: ["*"] }),
    programs: ["copilot"],
    folders: (places) => [copilotHome(places)],
    next: { project: "Start `copilot` in this folder and confirm that you trust it." },
    // Seen with 1.0.102, which removes them before it resolves references.
    withholds: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"],
  },
  {
    // https://qwenlm.github.io/qwen-code-docs/en/users/features/mcp
    id: "qwen-code",
    aliases: ["qwen"],
    name: "Qwen Code",
    format: "json",
    key: "mcpServers",
    files: {
      project: ({ cwd }) => [path.join(cwd, ".qwen/settings.json")],
      user: (places) => [path.join(qwenHome(places), "settings.json")],
    },
    entry: (command) => ({ ...command }),
    programs: ["qwen"],
    folders: (places) => [qwenHome(places)],
  },
  {
    // https://opencode.ai/docs/mcp-servers; OpenCode 2 keeps servers in `mcp.servers`, and reads this shape of OpenCode
    // 1
    // as well: https://opencode.ai/docs/migrate-v1
    id: "opencode",
    name: "opencode",
    format: "json",
    key: "mcp",
    files: {
      project: ({ cwd }) =>
        inFolder(cwd, ["opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"]),
      user: (places) => inFolder(path.join(configHome(places), "opencode"), ["opencode.json", "opencode.jsonc"]),
    },
    entry: ({ command, args, env }) => ({
      type: "local",
      command: [command, ...args],
      enabled: true,
      ...(env === undefined ? {} : { environment: env }),
    }),
    programs: ["opencode"],
    folders: (places) => [path.join(configHome(places), "opencode")],
  },
  {
    // https://docs.cline.bot/mcp/configuring-mcp-servers; the extension of VS Code has settings of its own
    id: "cline",
    aliases: ["cline-cli"],
    name: "Cline",
    format: "json",
    key: "mcpServers",
    files: {
      user: ({ homeDirectory, env }) => [
        env["CLINE_MCP_SETTINGS_PATH"] ||
          path.join(
            env["CLINE_DATA_DIR"] || path.join(homeDirectory, ".cline/data"),
            "settings/cline_mcp_settings.json",
          ),
      ],
    },
    entry: ({ env, ...command }) => ({
      transport: { type: "stdio", ...command, ...(env === undefined ? {} : { env }) },
      disabled: false,
    }),
    programs: ["cline"],
    folders: ({ homeDirectory }) => [path.join(homeDirectory, ".cline")],
    next: { user: "Its VS Code extension has a file of its own: paste the entry there under MCP Servers, Configure." },
  },
  {
    // https://ampcode.com/manual#mcp
    id: "amp",
    aliases: ["ampcode", "sourcegraph-amp"],
    name: "Amp",
    format: "json",
    key: "amp.mcpServers",
    files: {
      project: ({ cwd }) => inFolder(path.join(cwd, ".amp"), ["settings.json", "settings.jsonc"]),
      user: (places) => inFolder(path.join(configHome(places), "amp"), ["settings.json", "settings.jsonc"]),
    },
    entry: (command) => ({ ...command }),
    programs: ["amp"],
    folders: (places) => [path.join(configHome(places), "amp")],
    next: { project: "Run: amp mcp approve citewell" },
  },
  {
    // https://docs.windsurf.com/windsurf/cascade/mcp
    id: "windsurf",
    name: "Windsurf",
    format: "json",
    key: "mcpServers",
    files: { user: ({ homeDirectory }) => [path.join(homeDirectory, ".codeium/windsurf/mcp_config.json")] },
    entry: (command) => ({ ...command }),
    programs: ["windsurf"],
    folders: ({ homeDirectory }) => [path.join(homeDirectory, ".codeium/windsurf")],
    next: { user: "Refresh the servers in Cascade." },
  },
  {
    // https://zed.dev/docs/ai/mcp; the folders: zed-industries/zed, crates/paths/src/paths.rs
    id: "zed",
    name: "Zed",
    format: "json",
    key: "context_servers",
    files: {
      project: ({ cwd }) => [path.join(cwd, ".zed/settings.json")],
      user: (places) => [path.join(zedFolder(places), "settings.json")],
    },
    entry: (command) => ({ source: "custom", ...command }),
    programs: ["zed", "zeditor"],
    folders: (places) => [zedFolder(places)],
    next: { project: "It starts the servers of a project once you trust that." },
  },
  {
    // https://kiro.dev/docs/mcp/configuration
    id: "kiro",
    aliases: ["kiro-cli"],
    name: "Kiro",
    format: "json",
    key: "mcpServers",
    files: {
      project: ({ cwd }) => [path.join(cwd, ".kiro/settings/mcp.json")],
      user: ({ homeDirectory }) => [path.join(homeDirectory, ".kiro/settings/mcp.json")],
    },
    entry: (command) => ({ ...command }),
    programs: ["kiro", "kiro-cli"],
    folders: ({ homeDirectory }) => [path.join(homeDirectory, ".kiro")],
  },
  {
    // https://block.github.io/goose/docs/guides/config-files
    id: "goose",
    name: "Goose",
    format: "yaml",
    key: "extensions",
    files: {
      user: (places) => [
        places.platform === "win32"
          ? path.join(appData(places), "Block/goose/config/config.yaml")
          : path.join(configHome(places), "goose/config.yaml"),
      ],
    },
    entry: ({ command, args, env }) => ({
      enabled: true,
      type: "stdio",
      name: "citewell",
      cmd: command,
      args,
      ...(env === undefined ? {} : { envs: env }),
      timeout: 300,
    }),
    programs: ["goose"],
    folders: (places) => [
      places.platform === "win32" ? path.join(appData(places), "Block/goose") : path.join(configHome(places), "goose"),
    ],
    next: { user: "Start a new Goose session." },
  },
  {
    // https://github.com/charmbracelet/crush/blob/main/docs/config/README.md, "Legacy JSON", which it merges with
    // crushrc
    id: "crush",
    name: "Crush",
    format: "json",
    key: "mcp",
    files: {
      project: ({ cwd }) => inFolder(cwd, ["crush.json", ".crush.json"]),
      user: (places) => [path.join(crushFolder(places), "crush.json")],
    },
    entry: (command) => ({ type: "stdio", ...command }),
    programs: ["crush"],
    folders: (places) => [crushFolder(places)],
  },
  {
    // https://lmstudio.ai/docs/app/mcp; older versions kept their files below ~/.cache
    id: "lm-studio",
    aliases: ["lmstudio"],
    name: "LM Studio",
    format: "json",
    key: "mcpServers",
    files: {
      user: ({ homeDirectory }) => inFolder(homeDirectory, [".lmstudio/mcp.json", ".cache/lm-studio/mcp.json"]),
    },
    entry: (command) => ({ ...command }),
    programs: ["lms"],
    folders: ({ homeDirectory }) => inFolder(homeDirectory, [".lmstudio", ".cache/lm-studio"]),
    next: { user: "Switch it on under Program, Integrations." },
  },
  {
    // https://www.jetbrains.com/help/junie/model-context-protocol-mcp.html
    id: "junie",
    name: "Junie",
    format: "json",
    key: "mcpServers",
    files: {
      project: ({ cwd }) => [path.join(cwd, ".junie/mcp/mcp.json")],
      user: ({ homeDirectory }) => [path.join(homeDirectory, ".junie/mcp/mcp.json")],
    },
    entry: (command) => ({ ...command }),
    programs: ["junie"],
    folders: ({ homeDirectory }) => [path.join(homeDirectory, ".junie")],
  },
  {
    // https://www.jetbrains.com/help/ai-assistant/mcp.html; the IDE keeps its settings in XML that it rewrites
    id: "jetbrains",
    aliases: ["jetbrains-ai", "intellij", "webstorm", "pycharm"],
    name: "JetBrains AI Assistant",
    format: "json",
    key: "mcpServers",
    files: {},
    pasteInto: "Settings, Tools, AI Assistant, Model Context Protocol (MCP), Add, As JSON",
    entry: (command) => ({ ...command }),
    programs: ["idea", "webstorm", "pycharm", "goland", "rider", "clion", "phpstorm", "rubymine"],
    folders: (places) => [path.join(appData(places), "JetBrains")],
  },
];

/** The folder in which programs with a window keep their settings. */
function appData({ env, homeDirectory, platform }: ClientPlaces): string {
  if (platform === "win32") return env["APPDATA"] || path.join(homeDirectory, "AppData/Roaming");
  if (platform === "darwin") return path.join(homeDirectory, "Library/Application Support");
  return env["XDG_CONFIG_HOME"] || path.join(homeDirectory, ".config");
}

/** Where programs of the terminal keep theirs, on every platform. */
function configHome({ env, homeDirectory }: ClientPlaces): string {
  return env["XDG_CONFIG_HOME"] || path.join(homeDirectory, ".config");
}

function codexHome({ env, homeDirectory }: ClientPlaces): string {
  return env["CODEX_HOME"] || path.join(homeDirectory, ".codex");
}

function geminiHome({ env, homeDirectory }: ClientPlaces): string {
  return path.join(env["GEMINI_CLI_HOME"] || homeDirectory, ".gemini");
}

function copilotHome({ env, homeDirectory }: ClientPlaces): string {
  return env["COPILOT_HOME"] || path.join(homeDirectory, ".copilot");
}

function qwenHome({ env, homeDirectory }: ClientPlaces): string {
  return env["QWEN_HOME"] || path.join(homeDirectory, ".qwen");
}

function crushFolder(places: ClientPlaces): string {
  return places.env["CRUSH_GLOBAL_CONFIG"] || path.join(configHome(places), "crush");
}

function zedFolder(places: ClientPlaces): string {
  if (places.platform === "win32") return path.join(appData(places), "Zed");
  if (places.platform === "darwin") return path.join(places.homeDirectory, ".config/zed");
  return path.join(appData(places), "zed");
}

function inFolder(folder: string, names: readonly string[]): string[] {
  return names.map((name) => path.join(folder, name));
}
