import { CitewellError } from "../errors.ts";
import type { ProviderOptions, SetModel } from "../protocol/config.ts";
import type { Providers } from "./providers.ts";

/**
 * Checks that a model can be chosen, with the provider if possible. Returns a warning if it could not be checked.
 * @throws InvalidRequest (openai-compat without baseURL or name), ProviderNotFound, ModelNotFound
 */
export async function chooseModel(
  choice: SetModel,
  {
    providers,
    configured,
    signal,
  }: {
    providers: Providers;
    /** The provider's current configuration. */
    configured: ProviderOptions | undefined;
    signal: AbortSignal | undefined;
  },
): Promise<string | undefined> {
  requireAddress(choice, configured);
  return checkModel(choice, { providers, signal });
}

/** Returns a warning if the model could not be checked. @throws ProviderNotFound, ModelNotFound */
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

/** `openai-compat` has no default server: its address and name must be configured or part of the request. */
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
