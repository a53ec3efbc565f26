import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { CitewellError } from "../../errors.ts";
import type { FetchState, HostedResource } from "../../protocol/hosted.ts";
import { describeResource } from "../../protocol/published-tools.ts";
import { quoteValue } from "../../protocol/validation.ts";
import { callOperation } from "../../transports/call-operation.ts";
import { describeFetch } from "../jobs/describe-fetch.ts";
import type { ToolCall } from "./tools.ts";

/** Registers a resource, whose fetch is a job; returns at once. @throws ResourceNameTaken, AddressNotAllowed, InvalidRequest */
export async function addResource(
  input: Record<string, unknown>,
  { app, fetches, signal, isStructured }: ToolCall,
): Promise<CallToolResult> {
  const request = { subject: "addResource", noun: "argument" } as const;
  const spec = await callOperation(app, "addResource", input, { signal }, { request });
  const fetch = (await fetches.states()).get(spec.name) ?? unknownState;
  const text = `Added ${spec.name}. It is being fetched: listResources shows its state.`;
  return toResult(text, { structured: { ...spec, fetch }, isStructured });
}

/** Requests the newest revision of a resource, or of all; returns at once. @throws ResourceNotFound */
export async function sync({ resource }: { resource?: string | undefined }, call: ToolCall): Promise<CallToolResult> {
  const chosen = (resources: readonly HostedResource[]) =>
    resources.filter(({ name }) => resource === undefined || name === resource);
  if (resource !== undefined && chosen(await listFetched(call)).length === 0) {
    throw new CitewellError("ResourceNotFound", `no resource named ${quoteValue(resource)}`);
  }
  await call.fetches.request(resource === undefined ? undefined : [resource]);
  return present(chosen(await listFetched(call)), call);
}

/** The resources of the project with their state. */
export async function listResources(call: ToolCall): Promise<CallToolResult> {
  return present(await listFetched(call), call);
}

/** The resources of the project with the state of their fetches. */
export async function listFetched({
  app,
  fetches,
  signal,
}: Pick<ToolCall, "app" | "fetches" | "signal">): Promise<HostedResource[]> {
  const { resources } = await app.listResources({}, { signal });
  const states = await fetches.states();
  return resources.map((listing) => ({ ...listing, fetch: states.get(listing.name) ?? unknownState }));
}

const unknownState: FetchState = {
  state: "waiting",
  since: null,
  failure: null,
  nextTryAt: null,
  needsToken: null,
  progress: null,
};

function present(
  resources: readonly HostedResource[],
  { isStructured }: Pick<ToolCall, "isStructured">,
): CallToolResult {
  const lines = resources.map((resource) =>
    [`${resource.name}: ${describeResource({ ...resource, failure: null })}`, describeFetch(resource.fetch)]
      .filter((part) => part !== undefined)
      .join("; "),
  );
  const text = lines.length === 0 ? "No resources are registered. addResource registers one." : lines.join("\n");
  return toResult(text, { structured: { resources }, isStructured });
}

function toResult(
  text: string,
  { structured, isStructured }: { structured: Record<string, unknown>; isStructured: boolean },
): CallToolResult {
  const content: CallToolResult["content"] = [{ type: "text", text }];
  return isStructured ? { content, structuredContent: structured } : { content };
}
