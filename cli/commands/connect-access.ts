import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { CitewellError, messageOf } from "../../server/errors.ts";
import { findProgram, toSpawn } from "../../server/lib/find-program.ts";
import type { Interaction } from "../../server/providers/oauth.ts";
import type { Providers } from "../../server/providers/providers.ts";
import { canPrompt, type Choice, openPrompts, type Prompts } from "../input/prompts.ts";
import { readAllInput } from "../input/standard-input.ts";
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
  return keyFile === undefined ? undefined : readSecret(keyFile, { cwd: terminal.cwd, what: "key" });
}

/** Keeps the OAuth client that was given with the command; an empty id forgets the one that is kept. */
export async function keepClient(
  provider: string,
  { providers, options, terminal }: Pick<AccessOptions, "providers" | "options" | "terminal">,
): Promise<void> {
  const { clientId, clientSecretFile: file } = options;
  if (clientId === undefined) {
    if (file === undefined) return;
    throw new CitewellError("InvalidUsage", "--client-secret-file requires --client-id");
  }
  if (clientId === "") return providers.keepClient(provider, undefined);
  const secret = file === undefined ? undefined : await readSecret(file, { cwd: terminal.cwd, what: "client secret" });
  await providers.keepClient(provider, { clientId, clientSecret: secret });
}

async function readSecret(file: string, { cwd, what }: { cwd: string; what: string }): Promise<string> {
  const text = await readFile(path.resolve(cwd, file), "utf8").catch((cause: unknown) => {
    throw new CitewellError("FileNotReadable", `the ${what}'s file could not be read: ${messageOf(cause)}`, { cause });
  });
  return required(text.trim(), file);
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
    // With a provider and a model, optional questions are skipped.
    if (server === undefined || options.model !== undefined) return;
    const prompts = await openPrompts(terminal, options, missing);
    return storeKey(provider, "Its key (may be empty)", { ...access, prompts, isOptional: true });
  }
  // A client that was just given is for a new sign-in.
  const hasClient = options.clientId !== undefined && options.clientId !== "";
  if (!hasClient && (await providers.isConnected(provider))) return;
  const prompts = await openPrompts(terminal, options, missing);
  const way = hasClient ? "oauth" : await chooseWay(provider, { auth, envVar: info?.envVar, providers, prompts });
  if (way === "api")
    return storeKey(provider, `The key for ${info?.name ?? provider}`, { ...access, prompts, isOptional: false });
  if (way === "opencode") return runOpencode(terminal);
  if (way === "own-client") await askClient(provider, { providers, prompts });
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
  const offer = await providers.signInOffer(provider);
  const ways: Choice[] = [
    ...(auth.includes("api")
      ? [{ value: "api", label: "with a key", ...(envVar === undefined ? {} : { hint: `or set ${envVar}` }) }]
      : []),
    ...(offer.type === "browser" || offer.type === "device" ? [{ value: "oauth", label: "sign in" }] : []),
    ...(offer.type === "opencode"
      ? [{ value: "opencode", label: "sign in with opencode", hint: offer.command.join(" ") }]
      : []),
    ...(offer.type === "opencode" || offer.type === "own-client"
      ? [{ value: "own-client", label: "sign in with an OAuth client of your own", hint: "it asks for the client id" }]
      : []),
  ];
  const [only, second] = ways;
  // Where there is no way at all, connecting says why.
  if (second === undefined) return only?.value ?? "oauth";
  return prompts.select("How do they know you?", ways);
}

async function askClient(
  provider: string,
  { providers, prompts }: { providers: Providers; prompts: Prompts },
): Promise<void> {
  const clientId = await prompts.text("The client id of an OAuth client that you have registered there");
  const secret = await prompts.secret("Its secret (empty where it has none)", { isOptional: true });
  await providers.keepClient(provider, { clientId, clientSecret: secret === "" ? undefined : secret });
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
async function runOpencode(terminal: Terminal): Promise<void> {
  const found = await findProgram("opencode", terminal);
  if (found === undefined) {
    throw new CitewellError("ToolMissing", "opencode is not installed, or not in PATH", {
      hint: "install it (https://opencode.ai), or choose a provider with a key",
    });
  }
  const { file, args, shell } = toSpawn(found, ["auth", "login"], terminal);
  const child = spawn(file, args, { stdio: ["inherit", 2, "inherit"], shell, signal: terminal.signal });
  const [code] = await once(child, "close");
  if (code !== 0) throw new CitewellError("ProviderNotConnected", "opencode did not sign in");
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
