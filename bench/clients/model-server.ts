import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { formats, type ModelRequest, type Reply, sendJson } from "./formats.ts";

/** A tool call that the model makes. */
export interface ToolCall {
  /** The tool's name in our server; clients add a prefix. */
  tool: string;
  input: object;
}

/** A running scripted model. */
export interface ModelServer extends AsyncDisposable {
  port: number;
  /** The results that the model received, in call order. */
  results: string[];
  /** A log of requests, to debug a client. */
  log: string[];
}

/** How often to ask a client to wait for our tools. */
const waitsLimit = 8;

/** Starts a model on loopback that makes these calls in sequence, whatever the prompt, and then finishes. */
export async function startModelServer(calls: readonly ToolCall[]): Promise<ModelServer> {
  const results: string[] = [];
  const log: string[] = [];
  let waits = 0;

  const next = ({ tools, results: answered }: ModelRequest): Reply => {
    for (let id = results.length; answered.has(callId(id)); id++) results.push(answered.get(callId(id)) ?? "");
    const call = calls[results.length];
    // Clients request titles and similar texts without tools.
    if (call === undefined || tools.length === 0) return { type: "text", text: "done" };
    const name = tools.find((tool) => /citewell/i.test(tool) && tool.endsWith(call.tool));
    if (name !== undefined) return { type: "call", id: callId(results.length), name, input: call.input };
    if (waits++ >= waitsLimit) return { type: "text", text: `there is no tool ${call.tool}` };
    return wait(tools, waits) ?? { type: "text", text: `there is no tool ${call.tool} yet` };
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = (request.url ?? "").split("?")[0] ?? "";
    const body: unknown = request.method === "POST" ? await json(request).catch(() => ({})) : {};
    const format = formats.find((candidate) => candidate.path.test(path));
    if (format === undefined) {
      log.push(`${request.method} ${request.url}`);
      return sendJson(response, sideAnswer(path));
    }
    const read = format.read(body);
    const reply = next(read);
    const shown = reply.type === "call" ? reply.name : `${reply.text}: ${read.tools.join(", ")}`;
    log.push(`${path} ${read.tools.length} tools → ${shown}`);
    format.write(response, reply, body);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      log.push(`${request.url}: ${String(error)}`);
      response.destroy();
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the server has no port");
  return {
    port: address.port,
    results,
    log,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function callId(index: number): string {
  return `call_${index}`;
}

/** A call that gives a client time to connect, or loads deferred tools. */
function wait(tools: readonly string[], count: number): Reply | undefined {
  const id = `wait_${count}`;
  const has = (name: string) => tools.find((tool) => tool === name || tool.endsWith(`/${name}`));
  const search = has("ToolSearch") ?? has("tool_search");
  const names = ["search", "read", "ask", "verify"].map((tool) => `mcp__citewell__${tool}`);
  if (search !== undefined) return { type: "call", id, name: search, input: { query: `select:${names.join(",")}` } };
  const shell = has("exec_command");
  if (shell !== undefined) return { type: "call", id, name: shell, input: { cmd: "sleep 1" } };
  const commands = has("run_commands");
  if (commands !== undefined) return { type: "call", id, name: commands, input: { commands: ["sleep 1"] } };
  const command = has("shell") ?? has("bash") ?? has("Bash") ?? has("run_shell_command");
  if (command !== undefined) return { type: "call", id, name: command, input: { command: "sleep 1" } };
  return undefined;
}

function sideAnswer(path: string): unknown {
  if (path.endsWith("count_tokens")) return { input_tokens: 1 };
  if (path.endsWith(":countTokens")) return { totalTokens: 1 };
  if (path.endsWith("/models")) return { object: "list", data: [{ id: "scripted", object: "model" }] };
  return {};
}
