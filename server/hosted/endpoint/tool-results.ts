import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { HostedResource } from "../../protocol/hosted.ts";
import { describeResource } from "../../protocol/published-tools.ts";
import { describeFetch } from "../jobs/describe-fetch.ts";
import { findOutdated, type ProjectCall, type States } from "../projects/registered.ts";
import type { Group } from "../tenants/groups.ts";

/** More lines than an agent reads: it names a group, or words. */
const mostLines = 200;

/** The result of a tool that lists resources. */
export async function presentResources(
  listed: readonly HostedResource[],
  call: Pick<ProjectCall, "unreadable"> & { isStructured: boolean },
  groups: readonly Group[] = [],
): Promise<CallToolResult> {
  const unreadable = await call.unreadable();
  const lines = listed
    .slice(0, mostLines)
    .map((resource) =>
      [`${resource.name}: ${describeResource({ ...resource, failure: null })}`, describeFetch(resource.fetch)]
        .filter((part) => part !== undefined)
        .join("; "),
    );
  lines.push(...unreadable.map(({ name, reason }) => `${name}: cannot be used: ${reason}`));
  if (listed.length > mostLines) lines.push(`… and ${listed.length - mostLines} more: call it with a filter`);
  if (groups.length > 0)
    lines.push(`Groups: ${groups.map(({ name, resources }) => `@${name} (${resources.length})`).join(", ")}`);
  const text = lines.length === 0 ? "No resources are registered. addResource registers one." : lines.join("\n");
  const structured = {
    resources: listed,
    ...(unreadable.length === 0 ? {} : { unreadable }),
    ...(groups.length === 0 ? {} : { groups: groups.map(groupListing) }),
  };
  return toResult(text, { structured, isStructured: call.isStructured });
}

function groupListing({ name, resources: { length } }: Group) {
  return { name: `@${name}`, resources: length };
}

/** A result as text and, for clients that read it, structured. */
export function toResult(
  text: string,
  { structured, isStructured }: { structured: Record<string, unknown>; isStructured: boolean },
): CallToolResult {
  const content: CallToolResult["content"] = [{ type: "text", text }];
  return isStructured ? { content, structuredContent: structured } : { content };
}

/** Says which of the resources may be out of date. */
export async function withFailures(result: CallToolResult, asked: States, call: ProjectCall): Promise<CallToolResult> {
  if (result.isError === true) return result;
  const outdated = await findOutdated(asked, call);
  const notes = outdated.map(({ name, fetch }) => `${name}: ${describeFetch(fetch)}. This is from its last snapshot.`);
  return notes.length === 0
    ? result
    : { ...result, content: [...result.content, { type: "text", text: notes.join("\n") }] };
}
