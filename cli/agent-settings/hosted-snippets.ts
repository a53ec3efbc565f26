import type { ClientSnippet } from "../../server/protocol/hosted.ts";
import { mcpClients } from "./client-list.ts";
import { serverName } from "./clients.ts";
import { addEntry } from "./settings.ts";

/** A server that clients reach over HTTP. */
interface RemoteServer {
  url: string;
  headers: Record<string, string>;
}

/** The fields for a server over HTTP, by client; each as the documentation describes it that `mcpClients` names. */
const remoteEntries: Readonly<Record<string, (server: RemoteServer) => Record<string, unknown>>> = {
  vscode: (server) => ({ type: "http", ...server }),
  cursor: (server) => ({ ...server }),
  "claude-code": (server) => ({ type: "http", ...server }),
  codex: ({ url, headers }) => ({ url, http_headers: headers }),
  "gemini-cli": ({ url, headers }) => ({ httpUrl: url, headers }),
  "copilot-cli": (server) => ({ type: "http", ...server, tools: ["*"] }),
  "qwen-code": ({ url, headers }) => ({ httpUrl: url, headers }),
  opencode: (server) => ({ type: "remote", ...server, enabled: true }),
  amp: (server) => ({ ...server }),
  windsurf: ({ url, headers }) => ({ serverUrl: url, headers }),
  zed: (server) => ({ ...server }),
  kiro: (server) => ({ ...server }),
  goose: ({ url, headers }) => ({
    enabled: true,
    type: "streamable_http",
    name: serverName,
    uri: url,
    headers,
    timeout: 300,
  }),
  crush: (server) => ({ type: "http", ...server }),
  "lm-studio": (server) => ({ ...server }),
};

/** Paths as on a computer with Linux; on macOS most are the same. */
const places = { cwd: "", homeDirectory: "~", env: {}, platform: "linux" } as const;

/**
 * Settings to paste into each client that connects over HTTP, with a key of the hosted service. They request text results,
 * because several clients would show their model structured results instead, or both (docs/agents.md).
 */
export function hostedSnippets({ url: endpoint, key }: { url: string; key: string }): ClientSnippet[] {
  const url = `${endpoint}?results=text`;
  const headers = { Authorization: `Bearer ${key}` };
  return mcpClients.flatMap((client) => {
    const entry = remoteEntries[client.id]?.({ url, headers });
    const [file] = (client.files.project ?? client.files.user)?.(places) ?? [];
    if (entry === undefined || file === undefined) return [];
    return [{ client: client.name, file, text: addEntry("", client, { file, entry }) }];
  });
}
