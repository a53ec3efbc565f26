import { CitewellError, messageOf } from "../../errors.ts";
import type { Fetch } from "../../lib/fetch.ts";
import type { Log } from "../../lib/log.ts";
import type { SealingKeys } from "../secrets/sealing-keys.ts";
import type { Queries } from "../store/store.ts";
import { joinNodes } from "./living-nodes.ts";
import { preferredNode } from "./preference.ts";
import { isSignedPassed, passedHeader, signPassed } from "./signature.ts";

/**
 * Passes calls on to the node that is likely to have their resources. Disposing of it removes this node from the table.
 */
export interface CallRouter extends AsyncDisposable {
  /** Whether there are other nodes. */
  hasOthers(): boolean;
  /**
   * Whether another node passed this request on, and so counted it already. @throws KeyInvalid (not signed by a node)
   */
  checkPassed(headers: CallHeaders): Promise<boolean>;
  /** Counts a call as running on this node until disposed. */
  count(): Disposable;
  /** The response of the preferred node. Undefined if that is this node, or if the other node does not respond. */
  pass(call: Call): Promise<PassedReply | undefined>;
}

/** Headers as Node has them. */
export type CallHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A call of a tool. */
export interface Call {
  /** Calls with the same key prefer the same node. */
  key: string;
  /** The path with the query. */
  path: string;
  headers: CallHeaders;
  body: unknown;
  log: Log;
  signal: AbortSignal;
}

/** The response of another node. Dispose of it once it is sent. */
export interface PassedReply extends Disposable {
  response: Response;
}

/** Services of a router. */
export interface RouterOptions {
  store: Pick<Queries, "query">;
  keys: SealingKeys;
  /** The origin at which other nodes reach this one. */
  url: string;
  /** Must not use a proxy, and must time out if a node is silent. */
  fetch: Fetch;
  onPassed: (outcome: PassOutcome) => void;
  log: Log;
}

/** `failed`: the other node did not respond, so this node answered the call. */
export type PassOutcome = "answered" | "failed";

/** How long a node that did not respond is skipped: its row may remain that long after the process ended. */
const avoidMs = 10_000;

/** The other node refuses the call. This node refuses it too, with the headers for the client. */
class Refused extends Error {}
/** An invalid message, a missing permission, a body that is too large, a limit of the project. */
const refusals: ReadonlySet<number> = new Set([400, 403, 413, 429]);

/** Registers this node and starts routing. */
export async function createRouter(options: RouterOptions): Promise<CallRouter> {
  const { keys, url, fetch, onPassed } = options;
  let running = 0;
  const nodes = await joinNodes({ ...options, running: () => running });
  /** Calls passed to each node and not answered yet; its row may not include them yet. */
  const passed = new Map<string, number>();
  /** The times at which the last call to each node failed. */
  const failedAt = new Map<string, number>();
  const isAvoided = (node: string) => performance.now() - (failedAt.get(node) ?? -Infinity) < avoidMs;
  const add = (node: string, count: number) => passed.set(node, (passed.get(node) ?? 0) + count);

  /** The response, and the request's id in the other node's log. */
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

/** The client's headers that the protocol needs, and what it is counted by. */
function ofProtocol(headers: CallHeaders): Record<string, string> {
  const needed = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value === "string" && (name === "accept" || name === "user-agent" || name.startsWith("mcp-"))
      ? [[name, value]]
      : [],
  );
  return Object.fromEntries(needed);
}

/**
 * Waits for the first bytes of an event stream, or for the whole of any other response. Until then, this node can still
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
  // Settles once the other direction has ended too.
  reader.cancel().catch(() => {});
  return new Response(whole, { headers });
}
