import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { CitewellError, codeOf, messageOf } from "../../server/errors.ts";
import type { Interaction } from "../../server/providers/oauth.ts";
import type { Providers } from "../../server/providers/providers.ts";
import { canPrompt, type Choice, openPrompts, type Prompts } from "../prompts.ts";
import { readAllInput } from "../standard-input.ts";
import { type Terminal, write } from "../terminal.ts";
import type { ConnectOptions } from "./connect.ts";
import type { ServerChoice } from "./connect-choices.ts";

export interface AccessOptions {
  /** Given with the command. */
  key: string | undefined;
  server: ServerChoice | undefined;
  providers: Providers;
  options: ConnectOptions;
  terminal: Terminal;
}

/** No key is longer, in characters. */
const keyLength = 10_000;

/** The key from standard input or a file. It is never an argument: every user of the computer could read it there. */
export async function readKey({ keyStdin, keyFile }: ConnectOptions, terminal: Terminal): Promise<string | undefined> {
  if (keyStdin === true) return required((await readAllInput(terminal, keyLength)).trim(), "standard input");
  if (keyFile === undefined) return undefined;
  try {
    return required((await readFile(path.resolve(terminal.cwd, keyFile), "utf8")).trim(), keyFile);
  } catch (cause) {
    if (cause instanceof CitewellError) throw cause;
    throw new CitewellError("FileNotReadable", `the key's file could not be read: ${messageOf(cause)}`, { cause });
  }
}

/** Stores the key that was given; without one, asks for it or for a sign-in where one is needed and someone is there. */
export async function giveAccess(provider: string, access: AccessOptions): Promise<void> {
  const { key, server, providers, options, terminal } = access;
  if (key !== undefined) return providers.connect(provider, { method: "api", key, baseURL: server?.baseURL });
  if (!canPrompt(terminal, options)) return;
  const info = (await providers.list()).find(({ id }) => id === provider);
  const auth = info?.auth ?? [];
  const missing = new CitewellError("InvalidUsage", `${provider} needs a key (--key-stdin)`);
  if (auth.includes("none")) {
    // Provider and model given: nothing else is asked that can be done without.
    if (server === undefined || options.model !== undefined) return;
    const prompts = await openPrompts(terminal, options, missing);
    return storeKey(provider, "Its key (may be empty)", { ...access, prompts, isOptional: true });
  }
  if (await providers.isConnected(provider)) return;
  const prompts = await openPrompts(terminal, options, missing);
  const way = await chooseWay(provider, { auth, envVar: info?.envVar, providers, prompts });
  if (way === "api") return storeKey(provider, "The key", { ...access, prompts, isOptional: false });
  if (way === "opencode") return runOpencode(terminal);
  return providers.connect(provider, {
    method: "oauth",
    interaction: createInteraction(terminal),
    signal: terminal.signal,
  });
}

async function chooseWay(
  provider: string,
  {
    auth,
    envVar,
    providers,
    prompts,
  }: { auth: readonly string[]; envVar: string | undefined; providers: Providers; prompts: Prompts },
): Promise<string> {
  const offer = providers.signInOffer(provider);
  const ways: Choice[] = [
    ...(auth.includes("api")
      ? [{ value: "api", label: "with a key", ...(envVar === undefined ? {} : { hint: `or set ${envVar}` }) }]
      : []),
    ...(offer.type === "browser" || offer.type === "device" ? [{ value: "oauth", label: "sign in" }] : []),
    ...(offer.type === "opencode"
      ? [{ value: "opencode", label: "sign in with opencode", hint: offer.command.join(" ") }]
      : []),
  ];
  const [only, second] = ways;
  // Where there is no way at all, connecting says why.
  if (second === undefined) return only?.value ?? "oauth";
  return prompts.select("How do they know you?", ways);
}

async function storeKey(
  provider: string,
  message: string,
  { prompts, isOptional, providers, server }: AccessOptions & { prompts: Prompts; isOptional: boolean },
): Promise<void> {
  const key = await prompts.secret(message, { isOptional });
  if (key !== "") await providers.connect(provider, { method: "api", key, baseURL: server?.baseURL });
}

/** The tool whose sign-ins we read does it itself. */
async function runOpencode({ signal }: Terminal): Promise<void> {
  const child = spawn("opencode", ["auth", "login"], { stdio: ["inherit", 2, "inherit"], signal });
  try {
    const [code] = await once(child, "close");
    if (code !== 0) throw new CitewellError("ProviderNotConnected", "opencode did not sign in");
  } catch (cause) {
    if (codeOf(cause) !== "ENOENT") throw cause;
    throw new CitewellError("ToolMissing", "opencode is not installed, or not in PATH", {
      hint: "install it (https://opencode.ai), or choose a provider with a key",
      cause,
    });
  }
}

function createInteraction({ stderr }: Terminal): Interaction {
  const show = async (url: string) => {
    const { default: open } = await import("open");
    await open(url).catch(() => undefined);
  };
  return {
    async openUrl(url) {
      await write(stderr, `sign in at ${url}\n`);
      await show(url);
    },
    async showDeviceCode({ url, code }) {
      await write(stderr, `enter ${code} at ${url}\n`);
      await show(url);
    },
  };
}

function required(key: string, origin: string): string {
  if (key !== "") return key;
  throw new CitewellError("InvalidUsage", `the key is empty: ${origin} holds nothing`);
}
