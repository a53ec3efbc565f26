import type { Fetch } from "../lib/fetch.ts";
import { fetchModels } from "./live-models.ts";

/** A compatible server that runs on this computer. */
export interface LocalServer {
  /** The name in `providerOptions["openai-compat"]`. */
  name: string;
  baseURL: string;
  /** The ids of its models, in the server's order. */
  models: string[];
}

/** Common servers at their default ports. */
export const usualServers: readonly Omit<LocalServer, "models">[] = [
  { name: "ollama", baseURL: "http://127.0.0.1:11434/v1" },
  { name: "lmstudio", baseURL: "http://127.0.0.1:1234/v1" },
  { name: "llama.cpp", baseURL: "http://127.0.0.1:8080/v1" },
  { name: "vllm", baseURL: "http://127.0.0.1:8000/v1" },
];

/** A running server on loopback answers at once, or later while the computer is busy, as with loading a model. */
const timeoutMs = 2000;

/**
 * Returns the `servers` that list models, in the same order. Other programs on these ports are skipped.
 * Rejects only with the signal's reason.
 */
export async function findLocalServers(
  servers: readonly Omit<LocalServer, "models">[],
  { fetch, signal }: { fetch: Fetch; signal: AbortSignal },
): Promise<LocalServer[]> {
  const quickly = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const found = await Promise.allSettled(
    servers.map(async ({ name, baseURL }) => {
      const api = { wire: "openai" } as const;
      const models = await fetchModels({ fetch, account: { type: "none" }, baseURL, api, signal: quickly });
      return { name, baseURL, models: Object.keys(models) };
    }),
  );
  signal.throwIfAborted();
  return found.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
}
