import { CitewellError } from "../../server/errors.ts";
import { formatGitPlace, type GitToken } from "../../server/protocol/hosted.ts";
import type { TokenAction, WebhookAction } from "../definitions/hosted-secrets.ts";
import { openPrompts } from "../input/prompts.ts";
import { readAllInput } from "../input/standard-input.ts";
import { exitCodes } from "../output/exit-codes.ts";
import { jsonText } from "../output/json.ts";
import { formatTable } from "../render/table.ts";
import { type Terminal, write } from "../terminal.ts";
import { type AddressOptions, describeAddress, readPublicUrl, withAddress } from "./hosted-address.ts";
import { openAdmin, type StoreOptions } from "./hosted.ts";

/** Holds the token where there is no standard input to read it from. */
const tokenVariable = "CITEWELL_GIT_TOKEN";
/** More is no token, in characters. */
const tokenLength = 10_000;

/** Options of `citewell hosted token`. */
export interface TokenOptions extends StoreOptions {
  project?: string;
  name?: string;
  username?: string;
}

/** `citewell hosted token`: a project's tokens for git hosts. */
export async function hostedToken(
  action: TokenAction,
  host: string | undefined,
  options: TokenOptions,
  terminal: Terminal,
): Promise<number> {
  const { project, name, username, json } = options;
  const show = async (token: GitToken, done: string) => {
    await write(terminal.stdout, json === true ? jsonText(token) : `${done} the token for ${formatGitPlace(token)}\n`);
    return exitCodes.ok;
  };
  if (action === "list") {
    await using admin = await openAdmin(options, terminal);
    const { tokens } = await admin.listGitTokens({ project });
    await write(terminal.stdout, json === true ? jsonText({ tokens }) : formatTable(tokens.map(toRow)));
    return exitCodes.ok;
  }
  if (host === undefined) {
    throw new CitewellError("InvalidUsage", `${action} needs a host`, {
      hint: `citewell hosted token ${action} github.com`,
    });
  }
  // The token is read before the database is opened: only one process at a time can use an embedded one.
  const token = action === "remove" ? "" : await readToken(host, options, terminal);
  await using admin = await openAdmin(options, terminal);
  if (action === "remove") return show(await admin.removeGitToken({ project, host }), "removed");
  if (action === "replace") return show(await admin.replaceGitToken({ project, host, token }), "replaced");
  return show(await admin.addGitToken({ project, host, name: name ?? host, username, token }), "added");
}

/**
 * From the variable, a prompt or standard input, never from an argument: every user of the computer could read it
 * there.
 */
async function readToken(host: string, options: TokenOptions, terminal: Terminal): Promise<string> {
  const given = terminal.env[tokenVariable]?.trim() ?? "";
  if (given !== "") return given;
  const missing = new CitewellError("InvalidUsage", "there is no token", {
    hint: `send it to standard input, or set ${tokenVariable}`,
  });
  if (terminal.stdin.isTTY) {
    const prompts = await openPrompts(terminal, options, missing);
    return prompts.secret(`The token for ${host}`);
  }
  const text = (await readAllInput(terminal, tokenLength)).trim();
  if (text === "") throw missing;
  return text;
}

function toRow(token: GitToken): string[] {
  const { name, hint, failure, failingSince, lastUsedAt } = token;
  const state =
    failingSince === null ? (lastUsedAt === null ? "not used yet" : "works") : `failing since ${failingSince}`;
  return [
    formatGitPlace(token),
    name,
    hint === "" ? "" : `${hint}…`,
    state,
    lastUsedAt === null ? "never used" : `used ${lastUsedAt}`,
    failure ?? "",
  ];
}

/** `citewell hosted webhook`: where git hosts report pushes of a project. */
export async function hostedWebhook(
  action: WebhookAction,
  options: StoreOptions & AddressOptions & { project?: string },
  terminal: Terminal,
): Promise<number> {
  const { project, json, quiet } = options;
  const publicUrl = readPublicUrl(options);
  await using admin = await openAdmin(options, terminal);
  if (action === "remove") {
    const removed = await admin.removeWebhook({ project });
    const text = `removed the webhook of ${removed.project}\n`;
    await write(terminal.stdout, json === true ? jsonText(removed) : text);
    return exitCodes.ok;
  }
  const created = withAddress(await admin.createWebhook({ project }), publicUrl);
  const note = `Address for the git host: ${describeAddress(created)}\nIts secret, which is shown only now:\n`;
  if (json !== true && quiet !== true) await write(terminal.stderr, note);
  await write(terminal.stdout, json === true ? jsonText(created) : `${created.secret}\n`);
  return exitCodes.ok;
}

/** `citewell hosted secrets rotate`: seals all secrets with a new key. */
export async function hostedSecrets(options: StoreOptions, terminal: Terminal): Promise<number> {
  await using admin = await openAdmin(options, terminal);
  const rotation = await admin.rotateSecrets({});
  const { resealed, keyVersion } = rotation;
  const text = `encrypted ${resealed} ${resealed === 1 ? "secret" : "secrets"} with the key ${keyVersion}; no other key is needed\n`;
  await write(terminal.stdout, options.json === true ? jsonText(rotation) : text);
  return exitCodes.ok;
}
