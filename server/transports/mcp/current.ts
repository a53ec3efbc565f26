import { CLIENT_CAPABILITIES_META_KEY, type Result, Server, type ServerContext } from "@modelcontextprotocol/server";
import { serveStdio, type StdioServerHandle } from "@modelcontextprotocol/server/stdio";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import { describeIssues } from "../../protocol/validation.ts";
import { type ServerOptions, structuredCapability } from "./mcp.ts";
import { getPrompt, listPrompts } from "./prompts.ts";
import { refusal } from "./refusal.ts";
import { complete, listResources, readResource, resourceTemplates } from "./resources.ts";

/** The `_meta` of a client that declares `structuredCapability`. */
const StructuredClient = z.object({
  [CLIENT_CAPABILITIES_META_KEY]: z.object({
    experimental: z.object({ [structuredCapability]: z.looseObject({}) }),
  }),
});

/** A server of the current era (2026-07-28). It sends no log messages: that revision deprecates them. */
export function createCurrentServer({
  version,
  instructions,
  tools,
  isStructured: fixed,
  app,
  log,
}: ServerOptions): Server {
  const library = { prompts: {}, resources: { listChanged: true }, completions: {} };
  const server = new Server(
    { name: "citewell", title: "Citewell", version },
    { capabilities: { tools: {}, ...(app === undefined ? {} : library) }, instructions },
  );
  const isStructured = ({ mcpReq }: ServerContext) => fixed ?? StructuredClient.safeParse(mcpReq.envelope).success;
  answer(server, ListToolsRequestSchema, (_params, call) => ({
    tools: tools.list({ isStructured: isStructured(call) }),
  }));
  answer(server, CallToolRequestSchema, (params, call) => {
    const { signal, notify, _meta } = call.mcpReq;
    return tools.call({ ...params, _meta }, { signal, notify, isStructured: isStructured(call), log });
  });
  if (app === undefined) return server;
  answer(server, ListPromptsRequestSchema, () => ({ prompts: listPrompts() }));
  answer(server, GetPromptRequestSchema, (params, { mcpReq }) =>
    getPrompt(params.name, params.arguments ?? {}, { app, signal: mcpReq.signal }),
  );
  answer(server, ListResourcesRequestSchema, (params, { mcpReq }) =>
    listResources(params?.cursor, { app, signal: mcpReq.signal }),
  );
  answer(server, ListResourceTemplatesRequestSchema, () => ({ resourceTemplates }));
  answer(server, ReadResourceRequestSchema, (params, { mcpReq }) =>
    readResource(params.uri, { app, signal: mcpReq.signal }),
  );
  answer(server, CompleteRequestSchema, (params, { mcpReq }) => complete(params, { app, signal: mcpReq.signal }));
  return server;
}

/** Serves a client of the current era over a connection, such as standard input and output. */
export function serveCurrent(transport: Transport, options: ServerOptions): StdioServerHandle {
  const createServer = () => {
    const server = createCurrentServer(options);
    // A client that is gone has been noticed elsewhere.
    const watching = options.watchResources?.(() => void server.sendResourceListChanged().catch(() => {}));
    return Object.assign(server, { onclose: () => watching?.[Symbol.dispose]() });
  };
  const onerror = (error: Error) => options.log.warn("mcp", { error: error.message });
  return serveStdio(createServer, { legacy: "reject", transport, onerror });
}

/** The schema of a request; those of both eras agree on the methods that we serve. */
interface RequestSchema<Params> {
  shape: { method: { value: string }; params: z.ZodType<Params> };
}

/**
 * Registers a handler. Parameters of the wrong shape are answered with -32602 and what was expected: this package, too,
 * answers -32603 with the issues as JSON.
 */
function answer<Params>(
  server: Server,
  { shape }: RequestSchema<Params>,
  handler: (params: Params, call: ServerContext) => Result | Promise<Result>,
): void {
  const method = shape.method.value;
  const Request = z.object({ params: shape.params });
  server.setRequestHandler(method, { params: z.unknown() }, (params, call) => {
    const { data, error } = Request.safeParse({ params });
    if (error !== undefined) throw refusal(ErrorCode.InvalidParams, `${method}: ${describeIssues(error, { params })}`);
    return handler(data.params, call);
  });
}
