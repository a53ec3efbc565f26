import type { Config } from "../../server/config/config.ts";
import type { Providers } from "../../server/providers/providers.ts";
import { messageOf } from "../../server/errors.ts";
import { isBuiltin } from "../../server/protocol/provider.ts";
import { maskText } from "../../server/source/mask.ts";
import { fail, type Finding, ok, warn } from "./check.ts";

export interface ProviderChecks {
  providers: Providers;
  config: Config;
  /** Also ask the model in use something, which may cost. */
  isDeep: boolean;
  signal: AbortSignal;
}

/**
 * Whether each provider is available. The one in use is asked for its list of models, which is free and shows whether it
 * accepts our key and knows the model.
 */
export async function checkProviders(checks: ProviderChecks): Promise<Finding[]> {
  const { providers, config } = checks;
  const others = (await providers.list()).filter(({ id }) => id !== config.provider && id !== "vscode");
  const areConnected = await Promise.all(others.map(({ id }) => providers.isConnected(id)));
  const names = (wanted: boolean) => others.flatMap(({ id }, index) => (areConnected[index] === wanted ? [id] : []));
  const parts = [
    ["connected", names(true)],
    ["not connected", names(false)],
  ] as const;
  const message = parts.flatMap(([state, ids]) => (ids.length === 0 ? [] : [`${state}: ${ids.join(", ")}`])).join("; ");
  return [await checkUsed(checks), ok("other providers", message)];
}

async function checkUsed(checks: ProviderChecks): Promise<Finding> {
  const { providers, config, isDeep, signal } = checks;
  const { provider, model } = config;
  const check = `provider ${provider}`;
  const connect = `citewell connect -p ${provider}`;
  try {
    if (!(await providers.isConnected(provider))) return fail(check, "in use, and not connected", connect);
    const served = await providers.checkModel({ provider, model }, { signal });
    if (served.type === "not-served") {
      const near = served.nearest.length === 0 ? "" : `; near: ${served.nearest.join(", ")}`;
      return fail(check, `it has no model ${model}${near}`, `${connect} chooses another`);
    }
    if (isDeep && !isBuiltin({ provider, model })) await askOnce(checks);
    if (served.type === "served" || isDeep) return ok(check, `in use, with ${model}${isDeep ? ", which answers" : ""}`);
    return warn(
      check,
      `in use; ${model} was not checked: ${maskText(served.reason)}`,
      "citewell doctor --deep asks it",
    );
  } catch (error) {
    signal.throwIfAborted();
    return fail(check, maskText(messageOf(error)), connect);
  }
}

/** One word, so that it costs next to nothing. */
async function askOnce({ providers, config: { provider, model }, signal }: ProviderChecks): Promise<void> {
  const asked = await providers.languageModel({ provider, model });
  const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Say: ok" }] }];
  const { stream } = await asked.doStream({ prompt, maxOutputTokens: 16, abortSignal: signal });
  for await (const part of stream) if (part.type === "error") throw part.error;
}
