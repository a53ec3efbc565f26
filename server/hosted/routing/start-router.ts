import type { ConfigLocation } from "../../config/config.ts";
import { readNetworkSettings } from "../../config/environment.ts";
import { createFetch } from "../../lib/fetch.ts";
import { type CallRouter, createRouter, type RouterOptions } from "./router.ts";

/** The addresses of this node and the services of its router. */
interface Reached {
  /** The origin for other nodes; with port 0, the port of `ownUrl`. */
  nodeUrl: string;
  /** The address at which this node listens. */
  ownUrl: string;
  /** A node that is answering sends at least one byte in this interval. */
  keepAliveMs: number;
  location: ConfigLocation;
}

const connectTimeoutMs = 2000;

/** Registers this node and starts routing. Requests to other nodes use no proxy and time out if a node is silent. */
export async function startRouter(
  { nodeUrl, ownUrl, keepAliveMs, location }: Reached,
  services: Omit<RouterOptions, "url" | "fetch">,
): Promise<CallRouter> {
  const url = new URL(nodeUrl);
  if (url.port === "0") ({ port: url.port } = new URL(ownUrl));
  const { ca } = await readNetworkSettings(location);
  const fetch = createFetch({ ca, idleTimeoutMs: 2 * keepAliveMs + 5000, connectTimeoutMs });
  return createRouter({ ...services, url: url.origin, fetch });
}
