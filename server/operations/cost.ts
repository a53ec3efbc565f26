import { CitewellError } from "../errors.ts";
import type { Metrics, ModelRef, Usage } from "../protocol/ask.ts";
import type { Providers } from "../providers/providers.ts";

/** What the calls of one question cost, in US$. */
export interface Cost {
  /** The cost of one call; 0 if it is free. */
  costOf(call: Usage): number;
  /** The price of all, with the rates; undefined if no price is known, or none is due. */
  priceOf(calls: readonly Usage[]): Metrics["pricing"];
}

/**
 * @throws PriceUnknown: a cap that nothing could hold is worse than none
 */
export async function findCost(
  ref: ModelRef,
  { providers, maxCostUsd }: { providers: Providers; maxCostUsd?: number | undefined },
): Promise<Cost> {
  const pricing = await providers.pricing(ref);
  switch (pricing.type) {
    case "metered":
      return { priceOf: pricing.priceOf, costOf: (call) => pricing.priceOf([call]).costUsd.total };
    case "unknown":
      if (maxCostUsd !== undefined) throw priceUnknown(ref);
      return { priceOf: () => undefined, costOf: () => 0 };
    case "free":
      return { priceOf: () => undefined, costOf: () => 0 };
  }
}

function priceUnknown({ provider, model }: ModelRef): CitewellError {
  // docs/decisions/0012-settings-and-limits.md
  const message =
    provider === "vscode"
      ? `the editor's subscription bills ${model} by request, not by token, so that maxCostUsd cannot hold`
      : `no price of ${provider}/${model} is known, so that maxCostUsd cannot hold`;
  return new CitewellError("PriceUnknown", message, {
    hint: "remove maxCostUsd from citewell.config.jsonc and set maxTokens instead, or choose another model",
  });
}
