import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import * as z from "zod";
import { clientName, ownClients } from "../limits/clients.ts";

const infoKey = "io.modelcontextprotocol/clientInfo";
const Implementation = z.object({ name: z.string(), version: z.string().optional().catch(undefined) });

/** What a message says about its client: with `initialize`, or with every message of the current era. */
export function namedClient(params: {
  clientInfo?: unknown;
  _meta?: Readonly<Record<string, unknown>> | undefined;
}): string | undefined {
  const { data } = Implementation.safeParse(params._meta?.[infoKey] ?? params.clientInfo);
  return data && clientName(data.name, data.version);
}

/**
 * A session id for the answer to `initialize`. It has the client's name, which older clients say only there: the client
 * sends it back with each call, and the service keeps no state.
 */
export function newSession(client: string | undefined): string {
  const id = randomUUID();
  return client === undefined ? id : `${id}.${Buffer.from(client).toString("base64url")}`;
}

/** The program that sent a request: as its message says, as `initialize` did, or the product of its `User-Agent`. */
export function clientOf(headers: IncomingHttpHeaders, named: string | undefined): string {
  const session = /^[0-9a-f-]{36}\.([\w-]+)$/.exec(String(headers["mcp-session-id"] ?? ""))?.[1];
  const ofSession = session === undefined ? undefined : clientName(Buffer.from(session, "base64url").toString());
  const [product = "", version] = /^\S+/.exec(headers["user-agent"] ?? "")?.[0].split("/") ?? [];
  return named ?? ofSession ?? clientName(product, version) ?? ownClients.unknown;
}
