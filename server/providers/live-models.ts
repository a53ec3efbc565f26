import * as z from "zod";
import { CitewellError, connectionFaultOf } from "../errors.ts";
import { maskText } from "../source/mask.ts";
import type { ModelInfo } from "../protocol/provider.ts";
import type { ProviderSettings } from "./definition.ts";
import { parseJson } from "../lib/parse-json.ts";

/** A provider's model list API. The path is always `/models`; headers and responses differ. */
export interface ModelApi {
  wire: "openai" | "anthropic" | "google";
  /** The listed id of a model that also has aliases. */
  listedAs?: (model: string) => string;
}

type Asked = Pick<ProviderSettings, "fetch" | "account" | "baseURL"> & {
  api: ModelApi;
  signal: AbortSignal | undefined;
};

/**
 * Fetches the provider's current models, by id.
 * @throws ProviderFailed, ProviderRefused, ProviderTimeout; an abort of `signal` as its reason
 */
export async function fetchModels(asked: Asked): Promise<Record<string, ModelInfo>> {
  // Pages have 20 models at Anthropic and 50 at Google by default; these are the maxima.
  const page = { openai: "", anthropic: "?limit=1000", google: "?pageSize=1000" }[asked.api.wire];
  const response = await request(asked, `/models${page}`);
  const { success, data } = ModelList.safeParse(response.body);
  if (response.ok && success) return data;
  throw new CitewellError(
    response.status === 401 || response.status === 403 ? "ProviderRefused" : "ProviderFailed",
    response.ok
      ? `${hostOf(asked)} sent an invalid model list`
      : `${hostOf(asked)} did not list its models (HTTP ${response.status})`,
    { hint: "check the key, and that baseURL is where the API starts, often with /v1 at the end" },
  );
}

/** Whether the provider serves a model that it does not list: an alias (`llama3` in Ollama, `…-latest`). */
export async function servesUnlisted(model: string, asked: Asked): Promise<boolean> {
  const response = await request(asked, `/models/${encodeURIComponent(model)}`);
  return response.ok && OneModel.safeParse(response.body).success;
}

/** Long enough for a distant server, short enough for a waiting user. */
const timeoutMs = 10_000;

interface Reply {
  ok: boolean;
  status: number;
  /** Undefined if it is not JSON. */
  body: unknown;
}

async function request({ fetch, account, baseURL, api, signal }: Asked, path: string): Promise<Reply> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const signals = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  const headers = headersOf(api, account.type === "key" ? account.key : undefined);
  try {
    // Do not follow redirects: the key is for this server only.
    const response = await fetch(`${baseURL}${path}`, { headers, redirect: "error", signal: signals });
    return { ok: response.ok, status: response.status, body: parseJson(await response.text()) };
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof CitewellError) throw error;
    const host = hostOf({ baseURL });
    if (timeout.aborted) {
      throw new CitewellError("ProviderTimeout", `${host} did not list its models within ${timeoutMs / 1000} seconds`);
    }
    const why = connectionFaultOf((error instanceof Error ? error.cause : undefined) ?? error);
    throw new CitewellError("ProviderFailed", `cannot reach ${host}: ${maskText(why)}`, {
      hint: "check that it runs, and its baseURL and proxy",
      cause: error,
    });
  }
}

function headersOf({ wire }: ModelApi, key: string | undefined): Record<string, string> {
  const version = wire === "anthropic" ? { "anthropic-version": "2023-06-01" } : {};
  if (key === undefined) return version;
  switch (wire) {
    case "openai":
      return { authorization: `Bearer ${key}` };
    case "anthropic":
      return { ...version, "x-api-key": key };
    case "google":
      return { "x-goog-api-key": key };
  }
}

function hostOf({ baseURL }: { baseURL: string }): string {
  return URL.canParse(baseURL) ? new URL(baseURL).host : baseURL;
}

const Count = z.int().positive().optional().catch(undefined);
const Text = z.string().optional().catch(undefined);

/** One schema for the three formats; missing fields are undefined. */
const OneModel = z
  .object({
    id: Text,
    name: Text,
    display_name: Text,
    displayName: Text,
    context_length: Count,
    context_window: Count,
    inputTokenLimit: Count,
  })
  .transform((model, context): [string, ModelInfo] => {
    // Google's `name` is `models/<id>`.
    const id = model.id ?? model.name?.replace(/^models\//, "");
    if (id === undefined) {
      context.addIssue({ code: "custom", message: "a model without an id" });
      return z.NEVER;
    }
    const name = model.display_name ?? model.displayName ?? (model.id === undefined ? undefined : model.name);
    const contextTokens = model.context_length ?? model.context_window ?? model.inputTokenLimit;
    return [id, { ...(name === undefined ? {} : { name }), ...(contextTokens === undefined ? {} : { contextTokens }) }];
  });

const ModelList = z
  .union([
    z.object({ data: z.array(OneModel) }).transform(({ data }) => data),
    z.object({ models: z.array(OneModel) }).transform(({ models }) => models),
  ])
  .transform((models): Record<string, ModelInfo> => Object.fromEntries(models));
