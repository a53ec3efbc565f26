import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { formats, type ModelRequest, type Reply, sendJson } from "./formats.ts";

/** A tool call of the model. */
export interface ToolCall {
  /** The tool's name in our server; agents add a prefix. */
  tool: string;
  input: object;
}

/** A running scripted model of a coding agent. */
export interface AgentModel extends AsyncDisposable {
  port: number;
  /** The results that the model received, in call order. */
  results: string[];
  /** The names of our tools that the agent has offered, each with the agent's prefix. */
  offered: Set<string>;
  /** A log of requests, to debug an agent. */
  log: string[];
}

/** How often to make an agent wait for a tool. */
const waitsLimit = 8;

const waitPrefix = "wait_";

/** Qwen Code calls tools that it does not list by this one, after a search for them. */
const bridgeTool = "tool_call";

/** Starts a model on loopback that makes these calls in sequence, whatever the prompt, and then finishes. */
export async function startAgentModel(calls: readonly ToolCall[]): Promise<AgentModel> {
  const results: string[] = [];
  const offered = new Set<string>();
  const log: string[] = [];
  let waits = 0;

  const next = ({ tools, results: answered }: ModelRequest): Reply => {
    for (let id = results.length; answered.has(callId(id)); id++) results.push(answered.get(callId(id)) ?? "");
    const deferred = [...answered].flatMap(([id, text]) => (id.startsWith(waitPrefix) ? toolsFoundIn(text) : []));
    for (const tool of [...tools, ...deferred]) if (isOurs(tool)) offered.add(tool);
    const call = calls[results.length];
    // Agents request titles and similar texts without tools.
    if (call === undefined || tools.length === 0) return { type: "text", text: "done" };
    const id = callId(results.length);
    const isMeant = (tool: string) => isOurs(tool) && tool.endsWith(call.tool);
    const name = tools.find(isMeant);
    if (name !== undefined) return { type: "call", id, name, input: call.input };
    const hidden = tools.includes(bridgeTool) ? deferred.find(isMeant) : undefined;
    if (hidden !== undefined) {
      return { type: "call", id, name: bridgeTool, input: { name: hidden, arguments: call.input } };
    }
    if (waits >= (results.length + 1) * waitsLimit) return { type: "text", text: `there is no tool ${call.tool}` };
    return wait(tools, ++waits, call) ?? { type: "text", text: `there is no tool ${call.tool} yet` };
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
    offered,
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

function isOurs(tool: string): boolean {
  return /citewell/i.test(tool);
}

/** The names of our tools in the result of a search for tools. */
function toolsFoundIn(text: string): string[] {
  return [...text.matchAll(/"name":\s*"(mcp__citewell__\w+)"/g)].flatMap(([, name]) =>
    name === undefined ? [] : [name],
  );
}

/** A call that gives an agent time to connect, or loads deferred tools. */
function wait(tools: readonly string[], count: number, { tool }: ToolCall): Reply | undefined {
  const id = `${waitPrefix}${count}`;
  const has = (name: string) => tools.find((offered) => offered === name || offered.endsWith(`/${name}`));
  const search = has("ToolSearch") ?? has("tool_search");
  const query = `select:mcp__citewell__${tool}`;
  if (search !== undefined) return { type: "call", id, name: search, input: { query } };
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
