import { createLocalProviders } from "../../server/local-app.ts";
import { checkModel } from "../../server/providers/choose-model.ts";
import { type Config, loadConfig, setModel } from "../../server/config/config.ts";
import { readNetworkSettings } from "../../server/config/environment.ts";
import { CitewellError } from "../../server/errors.ts";
import type { Providers } from "../../server/providers/providers.ts";
import type { CommonOptions } from "../definitions/global-options.ts";
import { exitCodes } from "../output/exit-codes.ts";
import { jsonText } from "../output/json.ts";
import { configLocation, openLog } from "../app/open-app.ts";
import { canPrompt } from "../input/prompts.ts";
import { formatFor } from "../render/table.ts";
import { type Terminal, write } from "../terminal.ts";
import { chooseModel, chooseProvider, chooseServer, offered } from "./connect-choices.ts";
import { giveAccess, keepClient, readKey } from "./connect-access.ts";

/** Options of `citewell connect`. */
export interface ConnectOptions extends CommonOptions {
  global?: boolean;
  provider?: string;
  model?: string;
  baseUrl?: string;
  name?: string;
  keyStdin?: boolean;
  keyFile?: string;
  clientId?: string;
  clientSecretFile?: string;
  list?: boolean;
}

/** Chooses a provider and a model, and signs in. Prompts for nothing else if both are given. */
export async function connect(options: ConnectOptions, terminal: Terminal): Promise<number> {
  const { signal } = terminal;
  const location = configLocation(terminal);
  const config = await loadConfig(location);
  const providers = await openProviders(config, options, terminal);
  if (options.list === true) return listChoices(options, { providers, terminal });
  await requireChoices(options, { providers, terminal });
  const { provider, server: found } = await chooseProvider(options, { providers, terminal });
  const { baseUrl, name } = options;
  if (provider !== "openai-compat" && (baseUrl !== undefined || name !== undefined)) {
    throw new CitewellError("InvalidUsage", `--base-url and --name are for openai-compat, not for ${provider}`, {
      hint: "another address of a provider: providerOptions in citewell.config.jsonc",
    });
  }
  const key = await readKey(options, terminal);
  await keepClient(provider, { providers, options, terminal });
  const server = provider === "openai-compat" ? await chooseServer(options, { found, config, terminal }) : undefined;
  await giveAccess(provider, { key, server, providers, options, terminal });
  const model = options.model ?? (await chooseModel(provider, { server, options, providers, terminal }));
  const choice = { provider, model, ...(server === undefined ? {} : { providerOptions: server }) };
  const hint = await checkModel(choice, { providers, signal });
  const level = options.global === true ? { level: "global" as const } : {};
  const { path } = await setModel(location, choice, level);
  const isConnected = await isConnectedNow(provider, options, terminal);
  const report = { provider, model, providerOptions: server, savedTo: path, isConnected, hint };
  await write(
    terminal.stdout,
    options.json === true ? jsonText(report) : `using ${provider}/${model}, saved in ${path}\n`,
  );
  const notes = [
    ...(hint === undefined ? [] : [hint]),
    ...(isConnected
      ? []
      : [`${provider} cannot be asked yet: citewell connect -p ${provider} in a terminal, or --key-stdin`]),
    ...(await overruled(options, terminal)),
  ];
  if (options.quiet !== true) for (const note of notes) await write(terminal.stderr, `note: ${note}\n`);
  return exitCodes.ok;
}

/** Checks as much as is possible before anything is stored. */
async function requireChoices(
  options: ConnectOptions,
  { providers, terminal }: { providers: Providers; terminal: Terminal },
): Promise<void> {
  if (canPrompt(terminal, options)) return;
  const missing = [
    ...(options.provider === undefined ? ["--provider"] : []),
    ...(options.model === undefined ? ["--model"] : []),
  ];
  if (missing.length === 0) return;
  throw new CitewellError("InvalidUsage", `${missing.join(" and ")} ${missing.length === 1 ? "is" : "are"} required`, {
    hint:
      options.provider === undefined
        ? `one of ${(await offered(providers)).map(({ id }) => id).join(", ")}: citewell connect -p builtin -m extractive`
        : `citewell connect --list -p ${options.provider} lists its models`,
  });
}

/** The providers, or the models of the one that is named. */
async function listChoices(
  { provider, json }: ConnectOptions,
  { providers, terminal }: { providers: Providers; terminal: Terminal },
): Promise<number> {
  const { signal, stdout } = terminal;
  if (provider !== undefined) {
    const models = Object.keys(await providers.listModels(provider, { signal }));
    await write(stdout, json === true ? jsonText({ provider, models }) : models.map((id) => `${id}\n`).join(""));
    return exitCodes.ok;
  }
  const listed = await Promise.all(
    (await offered(providers)).map(async ({ id, name }) => ({
      id,
      name,
      isConnected: await providers.isConnected(id),
    })),
  );
  const rows = listed.map(({ id, name, isConnected }) => [id, name, isConnected ? "connected" : "not connected"]);
  await write(stdout, json === true ? jsonText({ providers: listed }) : formatFor(stdout, rows));
  return exitCodes.ok;
}

export async function openProviders(
  config: Pick<Config, "providerOptions" | "globalProviderOptions">,
  options: CommonOptions,
  terminal: Terminal,
): Promise<Providers> {
  const location = configLocation(terminal);
  const network = await readNetworkSettings(location);
  return createLocalProviders(config, { location, network, log: openLog(terminal, options) });
}

/** Checks with what has just been saved. */
async function isConnectedNow(provider: string, options: ConnectOptions, terminal: Terminal): Promise<boolean> {
  const providers = await openProviders(await loadConfig(configLocation(terminal)), options, terminal);
  return providers.isConnected(provider);
}

async function overruled(options: ConnectOptions, terminal: Terminal): Promise<string[]> {
  if (options.global !== true) return [];
  const { sources, projectFile } = await loadConfig(configLocation(terminal));
  const isOverruled = sources.provider === "project" || sources.model === "project";
  return isOverruled ? [`in this folder ${projectFile.path} says otherwise, and has precedence`] : [];
}
