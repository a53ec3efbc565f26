import { CitewellError } from "../errors.ts";
import type { ProviderOptions, SetModel } from "../protocol/config.ts";
import type { Providers } from "./providers.ts";

/**
 * Whether a model can be chosen. The provider is asked where it can be; what to say where it could not comes back.
 * @throws InvalidRequest (a compatible server without its address), ProviderNotFound, ModelNotFound
 */
export async function chooseModel(
  choice: SetModel,
  {
    providers,
    configured,
    signal,
  }: {
    providers: Providers;
    /** What is configured for the provider already. */
    configured: ProviderOptions | undefined;
    signal: AbortSignal | undefined;
  },
): Promise<string | undefined> {
  requireAddress(choice, configured);
  return checkModel(choice, { providers, signal });
}

/** What to say where the model could not be checked. @throws ProviderNotFound, ModelNotFound */
export async function checkModel(
  { provider, model, providerOptions }: SetModel,
  { providers, signal }: { providers: Providers; signal: AbortSignal | undefined },
): Promise<string | undefined> {
  const check = await providers.checkModel({ provider, model }, { options: providerOptions, signal });
  switch (check.type) {
    case "served":
      return undefined;
    case "unchecked":
      return `the model was not checked: ${check.reason}`;
    case "not-served":
      throw new CitewellError("ModelNotFound", `the provider ${provider} has no model ${JSON.stringify(model)}`, {
        hint: check.nearest.length === 0 ? "look at its list of models" : `did you mean ${check.nearest.join(" or ")}?`,
      });
  }
}

/** `openai-compat` is nobody in particular: it must be told, now or before, where the server is and what it is called. */
function requireAddress({ provider, providerOptions }: SetModel, configured: ProviderOptions | undefined): void {
  if (provider !== "openai-compat") return;
  const { baseURL, name } = { ...configured, ...providerOptions };
  const missing = [...(baseURL === undefined ? ["baseURL"] : []), ...(name === undefined ? ["name"] : [])];
  if (missing.length === 0) return;
  throw new CitewellError(
    "InvalidRequest",
    `providerOptions: ${missing.join(" and ")} missing: openai-compat needs both`,
    {
      hint: 'send "providerOptions": { "baseURL": "http://127.0.0.1:11434/v1", "name": "ollama" }',
    },
  );
}
