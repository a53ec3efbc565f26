import * as z from "zod";
import { CitewellError, codeOf, messageOf } from "../errors.ts";
import { maskText } from "../source/mask.ts";
import type { ModelInfo } from "../protocol/provider.ts";
import type { ProviderSettings } from "./definition.ts";
import { parseJson } from "../lib/parse-json.ts";

/** How a provider is asked what it serves: the path is `/models` everywhere, headers and answers differ. */
export interface ModelApi {
  wire: "openai" | "anthropic" | "google";
  /** The id under which a model stands in the list, where it may be called by others as well. */
  listedAs?: (model: string) => string;
}

type Asked = Pick<ProviderSettings, "fetch" | "account" | "baseURL"> & {
  api: ModelApi;
  signal: AbortSignal | undefined;
};

/**
 * What the provider says it serves now, by id.
 * @throws ProviderFailed, ProviderRefused, ProviderTimeout; an abort of `signal` as its reason
 */
export async function fetchModels(asked: Asked): Promise<Record<string, ModelInfo>> {
  // Anthropic gives 20 and Google 50 at a time; these are the most that they give.
  const page = { openai: "", anthropic: "?limit=1000", google: "?pageSize=1000" }[asked.api.wire];
  const response = await request(asked, `/models${page}`);
  const { success, data } = ModelList.safeParse(response.body);
  if (response.ok && success) return data;
  throw new CitewellError(
    response.status === 401 || response.status === 403 ? "ProviderRefused" : "ProviderFailed",
    response.ok
      ? `${hostOf(asked)} sent what is no list of models`
      : `${hostOf(asked)} did not list its models (HTTP ${response.status})`,
    { hint: "check the key, and that baseURL is where the API starts, often with /v1 at the end" },
  );
}

/** Whether a model that is not in the list is served all the same: an alias (`llama3` of Ollama, `…-latest`). */
export async function servesUnlisted(model: string, asked: Asked): Promise<boolean> {
  const response = await request(asked, `/models/${encodeURIComponent(model)}`);
  return response.ok && OneModel.safeParse(response.body).success;
}

/** Long enough for a model list from afar; a person waits for it. */
const timeoutMs = 10_000;

interface Reply {
  ok: boolean;
  status: number;
  /** Undefined where it is no JSON. */
  body: unknown;
}

async function request({ fetch, account, baseURL, api, signal }: Asked, path: string): Promise<Reply> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const signals = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  const headers = headersOf(api, account.type === "key" ? account.key : undefined);
  try {
    // A server that sends us on is not the one that the key is for.
    const response = await fetch(`${baseURL}${path}`, { headers, redirect: "error", signal: signals });
    return { ok: response.ok, status: response.status, body: parseJson(await response.text()) };
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof CitewellError) throw error;
    const host = hostOf({ baseURL });
    if (timeout.aborted) {
      throw new CitewellError("ProviderTimeout", `${host} did not list its models within ${timeoutMs / 1000} seconds`);
    }
    const cause = error instanceof Error ? error.cause : undefined;
    const why = messageOf(cause ?? error) || (codeOf(cause) ?? "no connection");
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

/** One shape for three: what a server leaves out is undefined. */
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
