import { CitewellError, messageOf } from "../../errors.ts";
import type { Fetch } from "../../lib/fetch.ts";
import type { Log } from "../../lib/log.ts";
import type { SealingKeys } from "../secrets/sealing-keys.ts";
import type { Queries } from "../store/store.ts";
import { joinNodes } from "./living-nodes.ts";
import { preferredNode } from "./preference.ts";
import { isSignedPassed, passedHeader, signPassed } from "./signature.ts";

/** Passes calls on to the node that is likely to have what they are about. Disposing of it takes this node out. */
export interface CallRouter extends AsyncDisposable {
  /** Whether there are other nodes. */
  hasOthers(): boolean;
  /** Whether another node has passed a request on, which has counted it. @throws KeyInvalid (not signed by a node) */
  checkPassed(headers: CallHeaders): Promise<boolean>;
  /** Counts a call that this node answers, until it is disposed of. */
  count(): Disposable;
  /** The answer of the preferred node. Undefined if that is this node, or if the other one does not answer. */
  pass(call: Call): Promise<PassedReply | undefined>;
}

/** Headers as Node has them. */
export type CallHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A call of a tool. */
export interface Call {
  /** What it is about: calls with the same key prefer the same node. */
  key: string;
  /** With the query. */
  path: string;
  headers: CallHeaders;
  body: unknown;
  log: Log;
  signal: AbortSignal;
}

/** The answer of another node. Dispose of it when it is sent. */
export interface PassedReply extends Disposable {
  response: Response;
}

/** What a router works with. */
export interface RouterOptions {
  store: Pick<Queries, "query">;
  keys: SealingKeys;
  /** The origin at which other nodes reach this one. */
  url: string;
  /** Without a proxy. It gives up a node that is silent. */
  fetch: Fetch;
  onPassed: (outcome: PassOutcome) => void;
  log: Log;
}

/** `failed`: the other node did not answer, so this one did. */
export type PassOutcome = "answered" | "failed";

/** How long a node that did not answer is left alone: its row may last so long after its end. */
const avoidMs = 10_000;

/** The other node works, but refuses the call. This one finds the same, with the headers for the client. */
class Refused extends Error {}
/** A wrong message, a missing right, a body that is too large, a limit of the project. */
const refusals: ReadonlySet<number> = new Set([400, 403, 413, 429]);

/** Joins the nodes. */
export async function createRouter(options: RouterOptions): Promise<CallRouter> {
  const { keys, url, fetch, onPassed } = options;
  let running = 0;
  const nodes = await joinNodes({ ...options, running: () => running });
  /** By node: calls that were passed to it and are not answered yet. Its row may not count them yet. */
  const passed = new Map<string, number>();
  /** By node: when a call to it failed. */
  const failedAt = new Map<string, number>();
  const isAvoided = (node: string) => performance.now() - (failedAt.get(node) ?? -Infinity) < avoidMs;
  const add = (node: string, count: number) => passed.set(node, (passed.get(node) ?? 0) + count);

  /** The answer, and the id of the request in the other node's log. */
  async function send(
    to: string,
    { path, headers, body, signal }: Call,
  ): Promise<{ response: Response; request: string | null }> {
    const authorization = String(headers["authorization"] ?? "");
    const response = await fetch(new URL(path, to), {
      method: "POST",
      headers: {
        ...ofProtocol(headers),
        authorization,
        "content-type": "application/json",
        [passedHeader]: await signPassed({ to, authorization }, keys),
      },
      body: JSON.stringify(body),
      redirect: "error",
      signal,
    });
    if (response.status === 200) {
      return { response: await begun(response), request: response.headers.get("x-request-id") };
    }
    await response.body?.cancel();
    const { status } = response;
    if (refusals.has(status)) throw new Refused(`the node refused the call with status ${status}`);
    throw new CitewellError("ServerFailed", `the node answered with status ${status}`);
  }

  return {
    hasOthers: () => nodes.others().length > 0,

    async checkPassed(headers) {
      const value = headers[passedHeader];
      if (value === undefined) return false;
      const call = { to: url, authorization: String(headers["authorization"] ?? "") };
      if (await isSignedPassed(String(value), call, keys)) return true;
      throw new CitewellError("KeyInvalid", "the call was not passed on by a node of this service");
    },

    count() {
      running += 1;
      return { [Symbol.dispose]: () => void (running -= 1) };
    },

    async pass(call) {
      const others = nodes.others().filter((node) => !isAvoided(node.url));
      const loaded = others.map((node) => ({ ...node, running: Math.max(node.running, passed.get(node.url) ?? 0) }));
      const chosen = preferredNode([{ url, running }, ...loaded], call.key);
      if (chosen === undefined || chosen.url === url) return undefined;
      const { url: to } = chosen;
      const startedAt = performance.now();
      add(to, 1);
      try {
        const { response, request } = await send(to, call);
        onPassed("answered");
        call.log.info("call-passed", { node: to, passedAs: request, ms: Math.round(performance.now() - startedAt) });
        return { response, [Symbol.dispose]: () => void add(to, -1) };
      } catch (error) {
        add(to, -1);
        if (call.signal.aborted) return undefined;
        if (!(error instanceof Refused)) failedAt.set(to, performance.now());
        onPassed("failed");
        call.log.warn("call-not-passed", { node: to, error: messageOf(error) });
        return undefined;
      }
    },

    [Symbol.asyncDispose]: () => nodes[Symbol.asyncDispose](),
  };
}

/** What the protocol needs of a client's headers. */
function ofProtocol(headers: CallHeaders): Record<string, string> {
  const needed = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value === "string" && (name === "accept" || name.startsWith("mcp-")) ? [[name, value]] : [],
  );
  return Object.fromEntries(needed);
}

/**
 * An answer that has begun: an event stream with its first bytes, anything else as a whole. Until then, this node can still
 * answer instead.
 */
async function begun(response: Response): Promise<Response> {
  const type = response.headers.get("content-type") ?? "";
  const headers = { "content-type": type };
  if (response.body === null || !type.startsWith("text/event-stream")) {
    return new Response(await response.text(), { headers });
  }
  const [first, whole] = response.body.tee();
  const reader = first.getReader();
  await reader.read();
  // It settles when the other half has ended, too.
  reader.cancel().catch(() => {});
  return new Response(whole, { headers });
}
