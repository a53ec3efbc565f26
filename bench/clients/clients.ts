import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

/** The temporary environment of a client. */
export interface Setup {
  /** The client's home folder, empty. */
  home: string;
  /** The client's working directory. */
  workspace: string;
  /** The origin of the scripted model. */
  modelUrl: string;
  /** The command that starts our server. */
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
}

/** A coding agent to measure. */
export interface Client {
  /** The name of its folder and executable. */
  id: string;
  name: string;
  /** Writes its settings and returns how to run it. */
  prepare(setup: Setup): Promise<Run>;
}

/** Arguments and environment of a client run, and of its setup command. */
export interface Run {
  args: readonly string[];
  env?: Record<string, string>;
  before?: readonly string[];
}

const prompt = "Call the tools of citewell.";

/** The measured coding agents. */
export const clients: readonly Client[] = [
  {
    id: "claude",
    name: "Claude Code",
    async prepare({ home, modelUrl, command, args, env }) {
      const file = path.join(home, "mcp.json");
      await write(file, { mcpServers: { citewell: { command, args, env } } });
      const options = ["--mcp-config", file, "--strict-mcp-config", "--dangerously-skip-permissions"];
      return {
        args: ["-p", prompt, ...options],
        env: {
          ANTHROPIC_BASE_URL: modelUrl,
          ANTHROPIC_API_KEY: "scripted",
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
          // Allows running as root without a prompt.
          IS_SANDBOX: "1",
        },
      };
    },
  },
  {
    id: "codex",
    name: "Codex",
    async prepare({ home, modelUrl, command, args, env }) {
      const text = (value: string) => JSON.stringify(value);
      const variables = Object.entries(env).map(([key, value]) => `${key} = ${text(value)}`);
      await writeText(
        path.join(home, ".codex", "config.toml"),
        `model = "scripted"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = ${text(`${modelUrl}/v1`)}
wire_api = "responses"
env_key = "SCRIPTED_KEY"
[mcp_servers.citewell]
command = ${text(command)}
args = [${args.map(text).join(", ")}]
env = { ${variables.join(", ")} }
`,
      );
      const options = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"];
      return { args: ["exec", ...options, prompt], env: { SCRIPTED_KEY: "scripted" } };
    },
  },
  {
    id: "opencode",
    name: "opencode",
    async prepare({ home, modelUrl, command, args, env }) {
      const provider = {
        npm: "@ai-sdk/openai-compatible",
        name: "scripted",
        options: { baseURL: `${modelUrl}/v1`, apiKey: "scripted" },
        models: { scripted: { name: "scripted", limit: { context: 200_000, output: 8000 } } },
      };
      const citewell = { type: "local", command: [command, ...args], environment: env, enabled: true };
      await write(path.join(home, ".config", "opencode", "opencode.json"), {
        model: "scripted/scripted",
        provider: { scripted: provider },
        mcp: { citewell },
        permission: { "*": "allow" },
        autoupdate: false,
      });
      return { args: ["run", "--model", "scripted/scripted", prompt] };
    },
  },
  {
    id: "gemini",
    name: "Gemini CLI",
    async prepare({ home, modelUrl, command, args, env }) {
      await write(path.join(home, ".gemini", "settings.json"), {
        mcpServers: { citewell: { command, args, env, trust: true } },
        security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
        general: { disableAutoUpdate: true, enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
      });
      return {
        args: ["--yolo", "-m", "gemini-2.5-pro", "-p", prompt],
        env: { GEMINI_API_KEY: "scripted", GOOGLE_GEMINI_BASE_URL: modelUrl, GEMINI_CLI_TRUST_WORKSPACE: "true" },
      };
    },
  },
  {
    id: "copilot",
    name: "Copilot CLI",
    async prepare({ home, modelUrl, command, args, env }) {
      const citewell = { type: "local", command, args, env, tools: ["*"] };
      await write(path.join(home, ".copilot", "mcp-config.json"), { mcpServers: { citewell } });
      return {
        args: ["--allow-all-tools", "-p", prompt],
        env: {
          COPILOT_OFFLINE: "true",
          COPILOT_ALLOW_ALL: "true",
          COPILOT_AUTO_UPDATE: "false",
          COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`,
          COPILOT_PROVIDER_API_KEY: "scripted",
          COPILOT_MODEL: "scripted",
        },
      };
    },
  },
  {
    id: "qwen",
    name: "Qwen Code",
    async prepare({ home, modelUrl, command, args, env }) {
      await write(path.join(home, ".qwen", "settings.json"), {
        mcpServers: { citewell: { command, args, env, trust: true } },
        security: { auth: { selectedType: "openai" }, folderTrust: { enabled: false } },
        general: { disableAutoUpdate: true, enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
      });
      return {
        args: ["--yolo", "-p", prompt],
        env: { OPENAI_API_KEY: "scripted", OPENAI_BASE_URL: `${modelUrl}/v1`, OPENAI_MODEL: "scripted" },
      };
    },
  },
  {
    id: "cline",
    name: "Cline",
    async prepare({ home, modelUrl, command, args, env }) {
      const citewell = { transport: { type: "stdio", command, args, env } };
      await write(path.join(home, ".cline", "data", "settings", "cline_mcp_settings.json"), {
        mcpServers: { citewell },
      });
      const auth = ["auth", "-p", "openai-compatible", "-k", "scripted", "-m", "scripted", "-b", `${modelUrl}/v1`];
      return { before: auth, args: ["-P", "openai-compatible", "-m", "scripted", prompt] };
    },
  },
];

function write(file: string, settings: unknown): Promise<void> {
  return writeText(file, JSON.stringify(settings));
}

async function writeText(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
}
