import { CitewellError } from "../errors.ts";
import { findDefinition } from "./definitions.ts";
import { knownModels } from "./providers.ts";

/** How many models an error names. */
const shownLimit = 4;

/**
 * The model of a provider that is named without one.
 * @throws ProviderNotFound, InvalidUsage (the provider has several models and none is its default)
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
