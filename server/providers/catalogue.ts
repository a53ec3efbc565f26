import type { Metrics, ModelRef, Usage } from "../protocol/ask.ts";
import type { ModelInfo } from "../protocol/provider.ts";
import type { PricedAs } from "./definition.ts";

type CallPrice = NonNullable<Metrics["pricing"]>;

/**
 * The price of a model's calls. `metered`: `priceOf` sums list prices call by call, because long calls may have a higher
 * rate. `free`: calls are not billed individually (a local server, a subscription). `unknown`: no price is known.
 */
export type Pricing =
  | { type: "metered"; priceOf(calls: readonly Usage[]): CallPrice }
  | { type: "free" }
  | { type: "unknown" };

/** Name, version and publication date of the bundled catalogue; a test compares it with the installed package. */
export const catalogueSource = "genai-prices 0.1.8 (2026-09-23)";

/** Looks up the list price of a model; rates are in US$ per million tokens. */
export async function pricingOf(ref: ModelRef, pricedAs: PricedAs | undefined): Promise<Pricing> {
  if (pricedAs === undefined) return { type: "unknown" };
  if (pricedAs.type === "free") return pricedAs;
  const { calcPrice } = await import("@pydantic/genai-prices");
  const price = (usage: Usage) => calcPrice(toCatalogueUsage(usage), pricedAs.model, pricedAs.place);
  const rates = ratesOf(price({})?.model_price ?? {});
  if (rates === undefined) return { type: "unknown" };
  return {
    type: "metered",
    priceOf(calls) {
      const prices = calls.map(price);
      const input = roundUsd(prices.reduce((sum, call) => sum + (call?.input_price ?? 0), 0));
      const output = roundUsd(prices.reduce((sum, call) => sum + (call?.output_price ?? 0), 0));
      return {
        source: catalogueSource,
        modelKey: `${ref.provider}/${ref.model}`,
        ratesUsdPerMTokens: rates,
        costUsd: { input, output, total: roundUsd(input + output) },
      };
    },
  };
}

/** The context of a listed model in tokens. */
export async function contextTokensOf(pricedAs: PricedAs | undefined): Promise<number | undefined> {
  if (pricedAs?.type !== "listed") return undefined;
  const { calcPrice } = await import("@pydantic/genai-prices");
  return calcPrice({}, pricedAs.model, pricedAs.place)?.model?.context_window;
}

/** The catalogue's text models of a provider that are not deprecated, by id. */
export async function catalogueModels(providerId: string): Promise<Record<string, ModelInfo>> {
  const { calcPrice, findProvider } = await import("@pydantic/genai-prices");
  const models = findProvider({ providerId })?.models ?? [];
  const listed = models.flatMap(({ id, name, context_window: contextTokens, deprecated }): [string, ModelInfo][] => {
    const rates = ratesOf(calcPrice({}, id, { providerId })?.model_price ?? {});
    if (deprecated === true || rates === undefined) return [];
    const pricing = { source: catalogueSource, ratesUsdPerMTokens: rates };
    return [
      [
        id,
        { ...(name === undefined ? {} : { name }), ...(contextTokens === undefined ? {} : { contextTokens }), pricing },
      ],
    ];
  });
  return Object.fromEntries(listed);
}

/** `input_tokens` includes cached tokens in the catalogue, as `inputTokens` does. */
function toCatalogueUsage({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Usage) {
  return {
    input_tokens: inputTokens ?? 0,
    output_tokens: outputTokens ?? 0,
    cache_read_tokens: cacheReadTokens ?? 0,
    cache_write_tokens: cacheWriteTokens ?? 0,
  };
}

type Rate = number | { base: number } | undefined;

/** US$ per million tokens, before any surcharge for long calls. Undefined if the model is not billed by text tokens. */
function ratesOf(prices: Record<string, Rate>): { input: number; output: number } | undefined {
  const [input, output] = [baseOf(prices["input_mtok"]), baseOf(prices["output_mtok"])];
  return input === undefined || output === undefined ? undefined : { input, output };
}

function baseOf(rate: Rate): number | undefined {
  return typeof rate === "object" ? rate.base : rate;
}

/** Rounds to a billionth of a dollar, to hide floating-point errors in sums. */
function roundUsd(amount: number): number {
  return Math.round(amount * 1e9) / 1e9;
}
