import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { createVisitor, type LoadedPage, testPassword, type Visitor } from "../../test/support/visitor.ts";
import { textOf } from "../../test/support/mcp.ts";
import { type Nodes, publicUrl } from "./nodes.ts";
import type { Person, Repository } from "./organization.ts";
import type { Call, Reader, Record } from "./record.ts";

/** What the callers use. */
export interface Work {
  record: Record;
  nodes: Nodes;
  /** `/p/default` */
  base: string;
  /** Fetched, and their rights are in effect. */
  ready: Repository[];
  /** The addresses of shared answers, and what each is about. */
  shares: { path: string; about: Repository }[];
  signal: AbortSignal;
}

/** The time between two calls of a caller. */
const pauseMs = 150;
const codePath = "src/vault.ts";

/** A browser that has used an invitation or an owner link. */
export async function join(nodes: Nodes, link: string, person: Person): Promise<Visitor> {
  const visitor = createVisitor(publicUrl, { fetch: nodes.fetch });
  const { pathname } = new URL(link);
  await succeed(visitor.send(pathname, { email: `${person}@example.com`, password: testPassword }));
  return visitor;
}

/** @throws if a page of the setup is refused */
export async function succeed(loading: Promise<LoadedPage>): Promise<string> {
  const { status, path, text } = await loading;
  if (status !== 200) throw new Error(`${path}: ${status} ${plain(text).slice(0, 500)}`);
  return text;
}

/** The first text in a page that the expression's group matches. */
export function found(text: string, expression: RegExp): string {
  const [, value] = expression.exec(text) ?? [];
  if (value === undefined) throw new Error(`nothing matches ${String(expression)} in: ${plain(text).slice(0, 500)}`);
  return value.replaceAll("&amp;", "&");
}

function plain(text: string): string {
  return text.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
}

/** A client of the official SDK, connected by a key. */
export async function connect(nodes: Nodes, key: string): Promise<Client> {
  const client = new Client({ name: "week", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL("/api/mcp", publicUrl), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
    fetch: nodes.fetch,
  });
  await client.connect(transport);
  return client;
}

/** An agent calls the tools one after the other, about one repository after the other. */
export async function useAgent(work: Work, client: Client, reader: Reader): Promise<void> {
  const { record, signal } = work;
  // Of the version that runs when the agent connects, as agents do.
  const { tools } = await client.listTools();
  const offered = new Set(tools.map(({ name }) => name));
  const tool = (kind: string, args: object, about: Repository | undefined, wanted: string | undefined): Call => ({
    kind,
    reader,
    about,
    wanted,
    async run() {
      const result = await client.callTool({ name: kind, arguments: { ...args } }, CallToolResultSchema);
      const text = textOf(CallToolResultSchema.parse(result));
      if (result.isError !== true) return { text: text + JSON.stringify(result.structuredContent), state: "ok" };
      return { text, state: /^(ResourceNotFound|InvalidRequest): /.test(text) ? "refused" : "failed" };
    },
  });
  for (let count = 0; !signal.aborted; count++) {
    const about = pick(work.ready, count);
    const { name, asked, secret } = about;
    const question = `What opens for whoever knows ${asked}?`;
    const calls = [
      tool("read", { resource: name, path: codePath }, about, secret),
      tool("search", { query: asked, mode: "exact", resources: [name] }, about, secret),
      tool("ask", { question, resources: [name] }, about, secret),
      tool("listResources", { filter: name }, about, name),
      tool("verify", { text: `It opens [[${name}:${codePath}#L2]].` }, about, "verified"),
      tool("search", { query: "val[a-z]{4}", mode: "regex" }, undefined, undefined),
      tool("history", { resource: name, place: codePath }, about, undefined),
      tool("listResources", {}, undefined, undefined),
    ].filter(({ kind }) => offered.has(kind));
    const call = calls[count % calls.length];
    if (call !== undefined) await record.make(call);
    await sleep(pauseMs);
  }
}

/** A person opens pages, asks, opens the source of the answer, and what others shared. */
export async function usePages(work: Work, visitor: Visitor, reader: Person): Promise<void> {
  const { record, base, signal } = work;
  const page = (
    kind: string,
    load: () => Promise<LoadedPage>,
    about: Repository | undefined,
    wanted: string | undefined,
  ): Call => ({
    kind: `page ${kind}`,
    reader,
    about,
    wanted,
    async run() {
      const { status, text } = await load();
      return { text, state: status === 200 ? "ok" : status < 500 ? "refused" : "failed" };
    },
  });
  for (let count = 0; !signal.aborted; count++) {
    const about = pick(work.ready, count);
    const { name, asked, secret } = about;
    const question = `What opens for whoever knows ${asked}?`;
    const share = work.shares[count % work.shares.length];
    const calls = [
      page("resources", () => visitor.open(`${base}/resources?q=${name}`), about, `>${name}<`),
      page("ask", () => visitor.send(`${base}/ask`, { question, resources: name }), about, secret),
      page("overview", () => visitor.open(base), undefined, undefined),
      page("ask about all", () => visitor.send(`${base}/ask`, { question }), undefined, undefined),
      page("conversations", () => visitor.open(`${base}/ask`), undefined, undefined),
      ...(share === undefined ? [] : [page("share", () => visitor.open(share.path), share.about, share.about.secret)]),
    ];
    const call = calls[count % calls.length];
    const text = call === undefined ? undefined : await record.make(call);
    const [, source] = /href="([^"]+\/source\?[^"]+)"/.exec(text ?? "") ?? [];
    if (source !== undefined && call?.about !== undefined) {
      await record.make(page("source", () => visitor.open(source.replaceAll("&amp;", "&")), call.about, undefined));
    }
    await sleep(pauseMs);
  }
}

/** Strides that meet every repository, in another order for each turn. */
function pick(ready: readonly Repository[], count: number): Repository {
  const chosen = ready[(count * 7919) % ready.length];
  if (chosen === undefined) throw new RangeError("no repository is ready");
  return chosen;
}
