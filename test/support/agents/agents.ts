import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

/** The temporary environment of a run. */
export interface Setup {
  /** The agent's home folder, empty but for the settings of MCP servers. */
  home: string;
  /** The agent's working directory. */
  workspace: string;
  /** The origin of the scripted model. */
  modelUrl: string;
}

/** Arguments and environment of a run, and of a command before it. */
export interface Run {
  args: readonly string[];
  env?: Record<string, string>;
  before?: readonly string[];
}

/** A coding agent of the command line. */
export interface Agent {
  /** The name of its executable. */
  id: string;
  /** Its id in `mcp local`. */
  client: string;
  name: string;
  /** Writes its own settings, without MCP servers, and returns how to run it. */
  prepare(setup: Setup): Promise<Run>;
}

const prompt = "Call the tools of citewell.";

/** All offline and without updates, as far as each has a setting for it. */
export const agents: readonly Agent[] = [
  {
    id: "claude",
    client: "claude-code",
    name: "Claude Code",
    async prepare({ home, modelUrl }) {
      await write(path.join(home, ".claude", "settings.json"), { enableAllProjectMcpServers: true });
      return {
        args: ["-p", prompt, "--dangerously-skip-permissions"],
        env: {
          ANTHROPIC_BASE_URL: modelUrl,
          ANTHROPIC_API_KEY: "scripted",
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
          DISABLE_AUTOUPDATER: "1",
          // Allows running as root without a prompt.
          IS_SANDBOX: "1",
        },
      };
    },
  },
  {
    id: "codex",
    client: "codex",
    name: "Codex",
    async prepare({ home, workspace, modelUrl }) {
      const text = (value: string) => JSON.stringify(value);
      await writeText(
        path.join(home, ".codex", "config.toml"),
        `model = "scripted"
model_provider = "scripted"
check_for_update_on_startup = false
[analytics]
enabled = false
[projects.${text(workspace)}]
trust_level = "trusted"
[model_providers.scripted]
name = "scripted"
base_url = ${text(`${modelUrl}/v1`)}
wire_api = "responses"
env_key = "SCRIPTED_KEY"
`,
      );
      const options = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"];
      return { args: ["exec", ...options, prompt], env: { SCRIPTED_KEY: "scripted" } };
    },
  },
  {
    id: "opencode",
    client: "opencode",
    name: "opencode",
    async prepare({ home, modelUrl }) {
      const provider = {
        npm: "@ai-sdk/openai-compatible",
        name: "scripted",
        options: { baseURL: `${modelUrl}/v1`, apiKey: "scripted" },
        models: { scripted: { name: "scripted", limit: { context: 200_000, output: 8000 } } },
      };
      await write(path.join(home, ".config", "opencode", "opencode.json"), {
        model: "scripted/scripted",
        provider: { scripted: provider },
        permission: { "*": "allow" },
        autoupdate: false,
        share: "disabled",
      });
      return {
        args: ["run", "--model", "scripted/scripted", prompt],
        env: { OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_LSP_DOWNLOAD: "1" },
      };
    },
  },
  {
    id: "gemini",
    client: "gemini-cli",
    name: "Gemini CLI",
    async prepare({ home, modelUrl }) {
      await write(path.join(home, ".gemini", "settings.json"), {
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
    client: "copilot-cli",
    name: "Copilot CLI",
    prepare: async ({ modelUrl }) => ({
      args: ["--allow-all-tools", "-p", prompt],
      env: {
        COPILOT_OFFLINE: "true",
        COPILOT_ALLOW_ALL: "true",
        COPILOT_AUTO_UPDATE: "false",
        COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`,
        COPILOT_PROVIDER_API_KEY: "scripted",
        COPILOT_MODEL: "scripted",
      },
    }),
  },
  {
    id: "qwen",
    client: "qwen-code",
    name: "Qwen Code",
    async prepare({ home, modelUrl }) {
      await write(path.join(home, ".qwen", "settings.json"), {
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
    client: "cline",
    name: "Cline",
    prepare: async ({ modelUrl }) => ({
      before: ["auth", "-p", "openai-compatible", "-k", "scripted", "-m", "scripted", "-b", `${modelUrl}/v1`],
      args: ["-P", "openai-compatible", "-m", "scripted", prompt],
    }),
  },
];

function write(file: string, settings: unknown): Promise<void> {
  return writeText(file, JSON.stringify(settings));
}

async function writeText(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
}
