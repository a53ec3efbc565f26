import type { Request } from "express";
import { messageOf } from "../../errors.ts";
import type { Log } from "../../lib/log.ts";
import type { OpenProject } from "../projects/project-app.ts";
import type { CallRouter, PassedReply } from "../routing/router.ts";

interface PassOptions {
  router: CallRouter;
  project: Pick<OpenProject, "routingKey">;
  /** The resources that the call is about; none: all. */
  names: readonly string[];
  log: Log;
  signal: AbortSignal;
}

/**
 * Passes a call on to the preferred node of its resources, if this node would have to fetch one of them first. Undefined if
 * this node must answer the call, also after a failure.
 */
export async function passCall(
  { body, originalUrl, headers }: Pick<Request, "body" | "originalUrl" | "headers">,
  { router, project, names, log, signal }: PassOptions,
): Promise<PassedReply | undefined> {
  if (!router.hasOthers()) return undefined;
  try {
    const key = await project.routingKey(names, { signal });
    if (key === undefined) return undefined;
    // Only the query, which may name the project.
    const { search } = new URL(originalUrl, "http://localhost");
    return await router.pass({ key, path: `/api/mcp${search}`, headers, body, log, signal });
  } catch (error) {
    if (!signal.aborted) log.warn("call-not-passed", { error: messageOf(error) });
    return undefined;
  }
}
