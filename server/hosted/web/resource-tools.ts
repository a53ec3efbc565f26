import { setTimeout as sleep } from "node:timers/promises";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { toErrorBody } from "../../errors.ts";
import { untilAborted } from "../../lib/abort.ts";
import type { SyncReply } from "../../protocol/hosted.ts";
import { describeResource } from "../../protocol/published-tools.ts";
import type { ResourceListing } from "../../protocol/resource.ts";
import { callOperation } from "../../transports/call-operation.ts";
import type { ToolCall } from "./tools.ts";

/** Registers a resource and starts to fetch it; returns at once. @throws ResourceNameTaken, AddressNotAllowed, InvalidRequest */
export async function addResource(
  input: Record<string, unknown>,
  { app, fetches, signal }: ToolCall,
): Promise<CallToolResult> {
  const spec = await callOperation(app, "addResource", input, { signal });
  // A failure is in the resource's state, which listResources shows.
  fetches.start(spec.name, app).catch(() => {});
  const text = `Added ${spec.name}. It is being fetched: listResources shows its state.`;
  return { content: [{ type: "text", text }], structuredContent: { ...spec } };
}

/** Fetches the newest revisions. After the deadline it returns what is done; the other fetches continue. */
export async function sync({ resource }: { resource?: string | undefined }, call: ToolCall): Promise<CallToolResult> {
  const { app, fetches, signal, deadlineMs } = call;
  const { resources: listed } = await app.listResources({}, { signal });
  const names = resource === undefined ? listed.map(({ name }) => name) : [resource];
  const reply: SyncReply = { resources: [], failed: [], pending: [] };
  const work = names.map(async (name) => {
    try {
      reply.resources.push(await fetches.start(name, app));
    } catch (error) {
      const { tag, error: message } = toErrorBody(error);
      reply.failed.push({ resource: name, tag, error: message });
    }
  });
  const over = new AbortController();
  const deadline = sleep(deadlineMs, undefined, { signal: over.signal }).catch(() => {});
  await untilAborted(Promise.race([Promise.all(work), deadline]), signal).finally(() => over.abort());
  const done = new Set([...reply.resources.map(({ name }) => name), ...reply.failed.map((one) => one.resource)]);
  const structuredContent = { ...reply, pending: names.filter((name) => !done.has(name)) };
  return {
    content: [{ type: "text", text: describe(structuredContent) }],
    structuredContent,
    isError: reply.failed.length > 0 && reply.failed.length === names.length,
  };
}

function describe({ resources, failed, pending }: SyncReply): string {
  const lines = [
    ...resources.map((listing: ResourceListing) => `${listing.name}: ${describeResource(listing)}`),
    ...failed.map(({ resource, error }) => `${resource}: could not be fetched: ${error}`),
    ...pending.map((name) => `${name}: still being fetched; listResources shows when it is ready`),
  ];
  return lines.length === 0 ? "No resources are registered. addResource registers one." : lines.join("\n");
}
