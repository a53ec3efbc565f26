import * as z from "zod";

const versionKey = "io.modelcontextprotocol/protocolVersion";
const firstCurrent = "2026-07-28";

const Message = z.object({ params: z.object({ _meta: z.record(z.string(), z.unknown()) }) });

/**
 * Whether a message is of the current era: since the revision 2026-07-28, a request has its version in `_meta`. Over
 * HTTP, a notification may have it in the header `MCP-Protocol-Version` only.
 */
export function isCurrent(message: unknown, versionHeader?: string): boolean {
  const { data } = Message.safeParse(message);
  if (data !== undefined && Object.hasOwn(data.params._meta, versionKey)) return true;
  return versionHeader !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(versionHeader) && versionHeader >= firstCurrent;
}
