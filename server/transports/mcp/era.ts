import * as z from "zod";

const versionKey = "io.modelcontextprotocol/protocolVersion";
const firstCurrent = "2026-07-28";

const Message = z.object({ params: z.object({ _meta: z.record(z.string(), z.unknown()) }) });

/** Whether a message is of the current era. */
export function isCurrent(message: unknown, versionHeader?: string): boolean {
  return isOfCurrentEra(Message.safeParse(message).data?.params._meta, versionHeader);
}

/**
 * The same by the `_meta` of a message: since the revision 2026-07-28, a request has its version there. Over HTTP, a
 * notification may have it in the header `MCP-Protocol-Version` only.
 */
export function isOfCurrentEra(meta: Readonly<Record<string, unknown>> | undefined, versionHeader?: string): boolean {
  if (meta !== undefined && Object.hasOwn(meta, versionKey)) return true;
  return versionHeader !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(versionHeader) && versionHeader >= firstCurrent;
}
