import type { Config } from "../../server/config/config.ts";
import { CitewellError } from "../../server/errors.ts";
import { ProviderOptions } from "../../server/protocol/config.ts";
import type { LocalServer } from "../../server/providers/local-servers.ts";
import type { Providers } from "../../server/providers/providers.ts";
import { type Choice, openPrompts } from "../input/prompts.ts";
import type { Terminal } from "../terminal.ts";
import type { ConnectOptions } from "./connect.ts";

/** Where an OpenAI-compatible server is, and what it is called. */
export type ServerChoice = { baseURL: string; name: string };

/** The provider, and where it is a server that runs on this computer, which one. */
export async function chooseProvider(
  options: ConnectOptions,
  { providers, terminal }: { providers: Providers; terminal: Terminal },
): Promise<{ provider: string; server?: LocalServer }> {
  if (options.provider !== undefined) {
    // Told apart from a provider that is not connected: an unknown one is refused.
    await providers.isConnected(options.provider);
    return { provider: options.provider };
  }
  const prompts = await openPrompts(terminal, options, notSaid("no provider was given (--provider)"));
  const [all, servers] = await Promise.all([offered(providers), providers.discoverLocal({ signal: terminal.signal })]);
  const choices: Choice[] = [
    ...servers.map(({ name, baseURL }) => ({ value: baseURL, label: name, hint: `runs at ${baseURL}` })),
    ...(await Promise.all(
      all.map(async ({ id, name }) => {
        const isConnected = await providers.isConnected(id);
        return { value: id, label: name, hint: isConnected ? `${id}, connected` : id };
      }),
    )),
  ];
  const chosen = await prompts.select("Which provider should answer?", choices);
  const server = servers.find(({ baseURL }) => baseURL === chosen);
  return server === undefined ? { provider: chosen } : { provider: "openai-compat", server };
}

/** The providers that can be chosen in a terminal: `vscode` works in the editor only. */
export async function offered(providers: Providers): Promise<Awaited<ReturnType<Providers["list"]>>> {
  return (await providers.list()).filter(({ id }) => id !== "vscode");
}

/** From the options, from a server that was found, from the configuration, else asked for. */
export async function chooseServer(
  options: ConnectOptions,
  { found, config, terminal }: { found: LocalServer | undefined; config: Config; terminal: Terminal },
): Promise<ServerChoice> {
  const configured = config.providerOptions["openai-compat"];
  const baseURL = options.baseUrl ?? found?.baseURL ?? configured?.baseURL;
  const name = options.name ?? found?.name ?? configured?.name;
  if (baseURL !== undefined && name !== undefined && faultOf({ baseURL, name }) === undefined) return { baseURL, name };
  const missing = [...(baseURL === undefined ? ["--base-url"] : []), ...(name === undefined ? ["--name"] : [])];
  const fault = baseURL === undefined ? undefined : faultOf({ baseURL });
  if (fault !== undefined) throw notSaid(`--base-url: ${fault}`);
  const prompts = await openPrompts(terminal, options, notSaid(`openai-compat needs ${missing.join(" and ")}`));
  return {
    baseURL:
      baseURL ??
      (await prompts.text("Its base URL", {
        usual: "http://127.0.0.1:11434/v1",
        validate: (text) => (/.https?:\/\//i.test(text) ? "it contains a second http://" : faultOf({ baseURL: text })),
      })),
    name:
      name ?? (await prompts.text("A name for it", { usual: "local", validate: (text) => faultOf({ name: text }) })),
  };
}

/** Offers what the provider serves; where that is not known, or something else is wanted, the id is typed. */
export async function chooseModel(
  provider: string,
  {
    server,
    options,
    providers,
    terminal,
  }: { server: ServerChoice | undefined; options: ConnectOptions; providers: Providers; terminal: Terminal },
): Promise<string> {
  const prompts = await openPrompts(terminal, options, notSaid("no model was given (--model)"));
  const { signal } = terminal;
  const models = await providers.listModels(provider, { options: server, signal }).catch((error: unknown) => {
    if (error instanceof CitewellError) return {};
    throw error;
  });
  const ids = Object.keys(models);
  const [only, second] = ids;
  if (only !== undefined && second === undefined) return only;
  if (ids.length === 0) return prompts.text("The model's id");
  const other = "";
  const choices = ids.map((id) => ({ value: id, label: id }));
  const chosen = await prompts.find("Which model?", [...choices, { value: other, label: "another one …" }]);
  return chosen === other ? prompts.text("The model's id") : chosen;
}

function faultOf(options: ProviderOptions): string | undefined {
  return ProviderOptions.safeParse(options).error?.issues[0]?.message;
}

function notSaid(message: string): CitewellError {
  return new CitewellError("InvalidUsage", message, { hint: "citewell connect --help lists the options" });
}
