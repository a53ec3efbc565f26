import type { Request } from "express";
import * as z from "zod";
import { describeIssues } from "../../protocol/validation.ts";
import { isOfCurrentEra } from "../../transports/mcp/era.ts";
import { dropNullParams } from "../../transports/request-fields.ts";
import { NamedResources } from "../projects/registered.ts";
import { namedClient } from "./client.ts";
import { hostedTools } from "./tools.ts";

/** A message of a client, as far as the endpoint decides by it; the SDK reads the rest. */
export interface Message {
  /** A notification has none. */
  id: string | number | undefined;
  method: string;
  /** The project that it names, if any. */
  project: unknown;
  /** The name of the tool that it calls. */
  tool: string | undefined;
  /** The resources that the call reads, none for all; undefined if it reads none. Only such calls are routed. */
  reads: string[] | undefined;
  /** The id of the request that it cancels. */
  cancels: string | number | undefined;
  /** The program that sent it, if it says so. */
  client: string | undefined;
  /** Whether it is of the revision 2026-07-28 or a later one. */
  isOfCurrent: boolean;
}

const Id = z.union([z.string(), z.number()]);
const Body = z.object({
  jsonrpc: z.literal("2.0"),
  id: Id.optional(),
  method: z.string(),
  params: z
    .object({
      name: z.unknown().optional(),
      project: z.unknown().optional(),
      requestId: Id.optional(),
      // The SDK or the tool refuses malformed arguments later.
      arguments: z.union([NamedResources.default([]), z.unknown().transform(() => undefined)]),
      clientInfo: z.unknown().optional(),
      _meta: z.record(z.string(), z.unknown()).optional().catch(undefined),
    })
    .optional(),
});

/** Reads the body of a request, and removes from it what the client left out by saying null. @returns a fault in words */
export function readMessage(request: Request): Message | { fault: string } {
  const body: unknown = request.body;
  dropNullParams(body);
  const { data, error } = Body.safeParse(body);
  if (data === undefined) return { fault: `the body is not a JSON-RPC message: ${describeIssues(error, body)}` };
  const { id, method, params } = data;
  const name = params?.name;
  const tool = method === "tools/call" && typeof name === "string" ? name : undefined;
  const isReading = hostedTools.some((candidate) => candidate.isReading && candidate.name === tool);
  return {
    id,
    method,
    project: params?.project,
    tool,
    reads: isReading ? params?.arguments : undefined,
    cancels: method === "notifications/cancelled" ? params?.requestId : undefined,
    client: params && namedClient(params),
    isOfCurrent: isOfCurrentEra(params?._meta, request.get("mcp-protocol-version")),
  };
}
