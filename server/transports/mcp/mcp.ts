import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  type JSONRPCRequest,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  type LoggingLevel,
  LoggingLevelSchema,
  ReadResourceRequestSchema,
  SetLevelRequestSchema,
  type Tool,
} from "@modelcontextprotocol/sdk/types.js";
import { formatEvent, type Log } from "../../lib/log.ts";
import { quoteValue } from "../../protocol/validation.ts";
import { usualDeadlineMs } from "./calls.ts";
import { connectChecked } from "./checked-connection.ts";
import { getPrompt, listPrompts } from "./prompts.ts";
import { refusal } from "./refusal.ts";
import { complete, listResources, readResource, resourceTemplates } from "./resources.ts";
import { type AgentHandlers, createLocalTools, type McpTools } from "./tools.ts";

/** What a server of either era needs. */
export interface ServerOptions {
  /** The package's. */
  version: string;
  /** Sent to clients that connect or discover the server. */
  instructions: string;
  tools: McpTools;
  /** Whether results are structured; undefined: for clients that declare `structuredCapability`. */
  isStructured?: boolean | undefined;
  /** Behind prompts, resources and completions; without it a server has tools only. */
  app?: AgentHandlers | undefined;
  /** Calls back whenever other resources may be configured, until it is disposed of. */
  watchResources?: ((onChange: () => void) => Disposable) | undefined;
  log: Log;
}

/** What the server for an agent on this computer needs. */
export interface McpOptions extends Pick<ServerOptions, "version" | "watchResources" | "log"> {
  app: AgentHandlers;
  /** How long a client that wants no progress is let wait for an answer, in milliseconds. */
  deadlineMs?: number;
  /** The client's working directory, absolute, where it is known. */
  cwd?: string | undefined;
  /** Structured results for every client; otherwise for one that declares `structuredCapability`. */
  structured?: boolean | undefined;
}

/** What a client declares among its experimental capabilities to get structured results and output schemas. */
export const structuredCapability = "citewell/structured";

/**
 * What every client shows its model, and many nothing else before it looks for tools: when to use us, what can be
 * named, and in which order. It has at most 130 tokens (docs/development/mcp-server.md).
 */
const localInstructions =
  "Source code and docs of any npm, Python, Rust, Go or JVM package (as installed here), git repository or folder, and of the open " +
  "project. Use it before grepping node_modules, web search or memory, even when you think you know the answer. " +
  "Name in `resources`: npm:zod@4, cargo:serde, an https git URL, an absolute folder; nothing = the open project and what " +
  "its configuration lists. Order: search, read for more lines, then cite the path:line or link above the lines. " +
  "Use ask only with a model connected. verify checks the citations of any text. Not for general programming questions.";

/** A server with our tools, prompts and resources. */
export function localServer({ deadlineMs = usualDeadlineMs, cwd, structured, ...options }: McpOptions): ServerOptions {
  return {
    ...options,
    instructions: localInstructions,
    tools: createLocalTools({ app: options.app, deadlineMs, cwd }),
    isStructured: structured === true ? true : undefined,
  };
}

/**
 * Serves an MCP client of the older era, up to the revision 2025-11-25, at one end of a transport.
 *
 * It does not read the transport's first message: `serve-stdio.ts`, `http/mcp-route.ts` and the hosted endpoint choose
 * the era, and `current.ts` serves the other one. Both call the same tools: those of `localServer`, or of the hosted
 * endpoint. docs/development/mcp-server.md has the rules.
 */
export async function serveMcp(transport: Transport, options: ServerOptions): Promise<Server> {
  const server = createServer(options);
  await connectChecked(server, transport);
  return server;
}

function createServer({
  version,
  instructions,
  tools,
  isStructured: fixed,
  app,
  watchResources,
  log,
}: ServerOptions): Server {
  const library = { prompts: {}, resources: { listChanged: true }, completions: {}, logging: {} };
  const server = new Server(
    { name: "citewell", title: "Citewell", version },
    { capabilities: { tools: {}, ...(app === undefined ? {} : library) }, instructions },
  );
  const isStructured = () =>
    fixed ?? server.getClientCapabilities()?.experimental?.[structuredCapability] !== undefined;
  let listed: Tool[] | undefined;
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: (listed ??= tools.list({ isStructured: isStructured() })),
  }));
  const serveTools = (toolLog: Log) =>
    server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal, sendNotification: notify }) =>
      tools.call(params, { signal, notify, isStructured: isStructured(), log: toolLog }),
    );
  if (app === undefined) {
    serveTools(log);
    return server;
  }
  let level: LoggingLevel = "warning";
  server.setRequestHandler(SetLevelRequestSchema, ({ params }) => {
    level = params.level;
    return {};
  });
  serveTools(withClient(log, { server, level: () => level }));
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: listPrompts() }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }, { signal }) =>
    getPrompt(params.name, params.arguments ?? {}, { app, signal }),
  );
  server.setRequestHandler(ListResourcesRequestSchema, ({ params }, { signal }) =>
    listResources(params?.cursor, { app, signal }),
  );
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }, { signal }) =>
    readResource(params.uri, { app, signal }),
  );
  server.setRequestHandler(CompleteRequestSchema, ({ params }, { signal }) => complete(params, { app, signal }));
  let watching: Disposable | undefined;
  Object.assign(server, {
    fallbackRequestHandler: async ({ method }: JSONRPCRequest) => {
      throw refusal(ErrorCode.MethodNotFound, `no method ${quoteValue(method)}`);
    },
    onerror: (error: Error) => log.warn("mcp", { error: error.message }),
    oninitialized() {
      // A client that is gone has been noticed elsewhere.
      watching ??= watchResources?.(() => void server.sendResourceListChanged().catch(() => {}));
    },
    onclose: () => watching?.[Symbol.dispose](),
  });
  return server;
}

/** The order is from the least to the most (RFC 5424, 6.2.1). */
const levels = LoggingLevelSchema.options;

/** Sends log messages to the client as well, from the level that it has set. */
function withClient(log: Log, { server, level: lowest }: { server: Server; level: () => LoggingLevel }): Log {
  const at =
    (own: keyof Log, level: LoggingLevel) =>
    (event: string, fields: Record<string, unknown> = {}) => {
      log[own](event, fields);
      if (server.transport === undefined || levels.indexOf(level) < levels.indexOf(lowest())) return;
      const data = formatEvent(event, fields);
      server.sendLoggingMessage({ level, logger: "citewell", data }).catch(() => {});
    };
  return {
    debug: at("debug", "debug"),
    info: at("info", "info"),
    warn: at("warn", "warning"),
    error: at("error", "error"),
  };
}
