import { CitewellError, toErrorBody } from "../errors.ts";
import type { ListModelsRequest, ModelList } from "../protocol/sign-in.ts";
import type { Providers } from "./providers.ts";

/**
 * Lists the models of a provider. For `openai-compat` it includes servers on this computer beside the configured one,
 * even if that one does not answer.
 * @throws as `Providers.listModels` does
 */
export async function listModels(
  { provider, baseURL }: ListModelsRequest,
  { providers, signal }: ListingOptions,
): Promise<ModelList> {
  if (provider !== "openai-compat") return { models: await providers.listModels(provider, { signal }) };
  if (baseURL !== undefined) return { models: await providers.listModelsAt(baseURL, { signal }) };
  const [configured, servers] = await Promise.all([
    listConfigured(provider, { providers, signal }),
    providers.discoverLocal({ signal }),
  ]);
  return { ...configured, servers };
}

interface ListingOptions {
  providers: Pick<Providers, "listModels" | "listModelsAt" | "discoverLocal">;
  signal: AbortSignal;
}

async function listConfigured(provider: string, { providers, signal }: ListingOptions): Promise<ModelList> {
  try {
    return { models: await providers.listModels(provider, { signal }) };
  } catch (error) {
    if (!(error instanceof CitewellError)) throw error;
    return { models: {}, problem: toErrorBody(error) };
  }
}
