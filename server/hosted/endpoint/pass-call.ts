import type { Request } from "express";
import * as z from "zod";
import { messageOf } from "../../errors.ts";
import type { Log } from "../../lib/log.ts";
import type { CallRouter, PassedReply } from "../routing/router.ts";
import type { Holder } from "./holders.ts";

/** Services for passing calls on. */
export interface Routing {
  router: CallRouter;
  /** The routing key of a call about these resources, or about all; undefined if this node has them. */
  keyFor(holder: Holder, names: readonly string[], options: { signal: AbortSignal }): Promise<string | undefined>;
}

interface PassOptions extends Routing {
  holder: Holder;
  log: Log;
  signal: AbortSignal;
}

const Reading = z.object({
  method: z.literal("tools/call"),
  params: z.object({
    name: z.enum(["ask", "search", "read", "verify"]),
    arguments: z.object({ resources: z.array(z.string()).optional(), resource: z.string().optional() }).default({}),
  }),
});

/** Whether a message calls a tool that reads resources; only these are routed and counted as load. */
export function isReading(body: unknown): boolean {
  return Reading.safeParse(body).success;
}

/**
 * Passes a call on to the preferred node of its resources, if this node would have to fetch one of them first. Undefined if
 * this node must answer the call, also after a failure.
 */
export async function passCall(
  { body, originalUrl, headers }: Pick<Request, "body" | "originalUrl" | "headers">,
  { router, keyFor, holder, log, signal }: PassOptions,
): Promise<PassedReply | undefined> {
  const { data: reading } = Reading.safeParse(body);
  if (reading === undefined || !router.hasOthers()) return undefined;
  try {
    const { resources = [], resource } = reading.params.arguments;
    const names = resource === undefined ? resources : [...resources, resource];
    const key = await keyFor(holder, names, { signal });
    if (key === undefined) return undefined;
    // Only the query, which may name the project.
    const { search } = new URL(originalUrl, "http://localhost");
    return await router.pass({ key, path: `/api/mcp${search}`, headers, body, log, signal });
  } catch (error) {
    if (!signal.aborted) log.warn("call-not-passed", { error: messageOf(error) });
    return undefined;
  }
}
