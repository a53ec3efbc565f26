import {
  type CompleteRequest,
  type CompleteResult,
  ErrorCode,
  type ListResourcesResult,
  type ReadResourceResult,
  type ResourceTemplate,
} from "@modelcontextprotocol/sdk/types.js";
import { toCitewellError } from "../../errors.ts";
import { describeResource } from "../../protocol/published-tools.ts";
import { type CitewellLocation, parseCitewellLocation } from "../../protocol/citation.ts";
import { quoteValue } from "../../protocol/validation.ts";
import { callOperation } from "../call-operation.ts";
import { resultBytes } from "./pages.ts";
import { codeOf, refusal } from "./refusal.ts";
import type { AgentHandlers } from "./tools.ts";

interface ReadOptions {
  app: AgentHandlers;
  signal: AbortSignal;
}

/** How many are listed at once. */
const pageLength = 100;

/** What MCP calls a resource that is not there: its specification, "Resources", "Error Handling". */
const notFoundCode = -32_002;

export const resourceTemplates: ResourceTemplate[] = [
  {
    name: "file",
    title: "A file of a codebase",
    uriTemplate: "citewell:/{resource}/{+path}{?revision}{#lines}",
    description:
      "A file, or lines of it (`#L10-L20`), at a revision; without one as it is on disk. A path that ends with / is a folder.",
    mimeType: "text/plain",
  },
];

/** The roots of the configured resources. Nothing is fetched for it. */
export async function listResources(cursor: string | undefined, options: ReadOptions): Promise<ListResourcesResult> {
  const start = readCursor(cursor);
  const { resources } = await options.app.listResources({}, options);
  const page = resources.slice(start, start + pageLength).map((listing) => ({
    uri: `citewell:/${encodeURIComponent(listing.name)}/`,
    name: listing.name,
    description: describeResource(listing),
    mimeType: "text/plain",
  }));
  const next = start + pageLength;
  return { resources: page, ...(next < resources.length ? { nextCursor: String(next) } : {}) };
}

/**
 * A file, lines of it, what is in a folder, or a commit (`citewell:/express?revision=1a2b3c4`).
 * @throws a refusal, with the tag and the hint as its data
 */
export async function readResource(uri: string, options: ReadOptions): Promise<ReadResourceResult> {
  const location = parseCitewellLocation(uri);
  if (location === undefined) {
    throw refusal(notFoundCode, `no resource ${quoteValue(uri)}`, {
      uri,
      hint: `it looks like ${resourceTemplates[0]?.uriTemplate}`,
    });
  }
  try {
    const isCommit = /^citewell:\/+[^/?#]+\?/.test(uri);
    const isFolder = !isCommit && (location.path === "" || location.path.endsWith("/"));
    const text = isFolder ? await listFolder(location, options) : await readLines(location, options);
    return { contents: [{ uri, mimeType: "text/plain", text }] };
  } catch (thrown) {
    const { tag, kind, message, hint } = toCitewellError(thrown);
    const code = kind === "not-found" || kind === "resource-missing" ? notFoundCode : codeOf(kind);
    throw refusal(code, message, { uri, tag, ...(hint === undefined ? {} : { hint }) });
  }
}

/** Names of resources and packages, and paths of what is on disk. */
export async function complete(
  { argument: { name, value }, context }: CompleteRequest["params"],
  { app, signal }: ReadOptions,
): Promise<CompleteResult> {
  const { resources } = await app.listResources({}, { signal });
  if (name === "resource")
    return toCompletion(
      resources.map((resource) => resource.name),
      value,
    );
  if (name === "package") {
    return toCompletion(
      resources.flatMap((resource) => (resource.package === null ? [] : [resource.package])),
      value,
    );
  }
  const asked = context?.arguments?.["resource"];
  const isOnDisk = resources.some((resource) => resource.name === asked && resource.state !== "absent");
  if (name !== "path" || asked === undefined || !isOnDisk) return toCompletion([], value);
  const folder = value.slice(0, value.lastIndexOf("/") + 1);
  const listing = await callOperation(
    app,
    "listFiles",
    { resource: asked, path: folder.replace(/\/$/, "") },
    { signal },
  )
    // A folder that is not there completes to nothing.
    .catch(() => ({ entries: [] }));
  signal.throwIfAborted();
  return toCompletion(
    listing.entries.map((entry) => `${folder}${entry.name}${entry.type === "folder" ? "/" : ""}`),
    value,
  );
}

function toCompletion(candidates: readonly string[], typed: string): CompleteResult {
  const start = typed.toLowerCase();
  const values = [...new Set(candidates)].filter((candidate) => candidate.toLowerCase().startsWith(start));
  // The protocol allows 100.
  return { completion: { values: values.slice(0, 100), total: values.length, hasMore: values.length > 100 } };
}

/** @throws a refusal */
function readCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor);
  throw refusal(ErrorCode.InvalidParams, `no cursor of ours: ${quoteValue(cursor)}`);
}

async function listFolder(
  { resource, path, revision }: CitewellLocation,
  { app, signal }: ReadOptions,
): Promise<string> {
  const folder = path.replace(/\/+$/, "");
  const { entries } = await callOperation(app, "listFiles", { resource, path: folder, revision }, { signal });
  return cutToSize(entries.map(({ name, type }) => (type === "folder" ? `${name}/` : name)).join("\n"));
}

async function readLines(
  { resource, path, revision, lines }: CitewellLocation,
  { app, signal }: ReadOptions,
): Promise<string> {
  const { text } = await callOperation(app, "read", { resource, path, revision, ...lines }, { signal });
  return cutToSize(text);
}

/** Whole lines, as many as a result may hold, and a word about it. */
function cutToSize(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= resultBytes) return text;
  const kept = bytes.subarray(0, bytes.lastIndexOf(10, resultBytes) + 1 || resultBytes).toString("utf8");
  const count = kept.split("\n").length - 1;
  return `${kept}… cut after ${count} lines: name the lines that you want, as in #L${count + 1}-L${count + 500}\n`;
}
