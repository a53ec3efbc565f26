import { loadConfig } from "../../server/config/config.ts";
import { CitewellError } from "../../server/errors.ts";
import type { Providers } from "../../server/providers/providers.ts";
import type { CommonOptions } from "../definitions/global-options.ts";
import { exitCodes } from "../output/exit-codes.ts";
import { jsonText } from "../output/json.ts";
import { configLocation } from "../app/open-app.ts";
import { openPrompts } from "../input/prompts.ts";
import { type Terminal, write } from "../terminal.ts";
import { openProviders } from "./connect.ts";

/** Options of `citewell disconnect`. */
export interface DisconnectOptions extends CommonOptions {
  provider?: string;
}

/** Forgets the key or sign-in of a provider. */
export async function disconnect(options: DisconnectOptions, terminal: Terminal): Promise<number> {
  const providers = await openProviders(await loadConfig(configLocation(terminal)), options, terminal);
  const provider = options.provider ?? (await pick(providers, options, terminal));
  const { removed, variable } = await providers.disconnect(provider);
  const text = removed ? `disconnected ${provider}\n` : `nothing is stored for ${provider}\n`;
  await write(terminal.stdout, options.json === true ? jsonText({ provider, removed, variable }) : text);
  if (variable !== undefined && options.quiet !== true) {
    await write(terminal.stderr, `note: ${variable} is set, and still connects it\n`);
  }
  return exitCodes.ok;
}

async function pick(providers: Providers, options: DisconnectOptions, terminal: Terminal): Promise<string> {
  const missing = new CitewellError("InvalidUsage", "no provider was given (--provider)", {
    hint: "citewell disconnect -p openrouter",
  });
  const prompts = await openPrompts(terminal, options, missing);
  const all = (await providers.list()).filter(({ auth }) => auth.some((method) => method !== "none"));
  const areConnected = await Promise.all(all.map(({ id }) => providers.isConnected(id)));
  const connected = all.filter((_, index) => areConnected[index]);
  if (connected.length === 0) throw new CitewellError("ProviderNotConnected", "no provider is connected");
  return prompts.select(
    "Which provider should be disconnected?",
    connected.map(({ id, name }) => ({ value: id, label: name, hint: id })),
  );
}
