import { CitewellError } from "../errors.ts";
import { findDefinition } from "./definitions.ts";
import { knownModels } from "./providers.ts";

/** The number of models that an error lists. */
const shownLimit = 4;

/**
 * The default model of a provider.
 * @throws ProviderNotFound, InvalidUsage (the provider has several models and no default)
 */
export async function defaultModelOf(provider: string): Promise<string> {
  const definition = findDefinition(provider);
  const known = Object.keys(await knownModels(definition));
  const [model] = known;
  if (definition.models !== undefined && model !== undefined) return model;
  const shown = [...known.slice(0, shownLimit), ...(known.length > shownLimit ? ["…"] : [])].join(", ");
  throw new CitewellError("InvalidUsage", `the provider ${provider} has no default model (--model)`, {
    hint: `name one: --model NAME${shown === "" ? "" : ` (known ones: ${shown})`}`,
  });
}
