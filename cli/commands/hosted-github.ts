import { createPrivateKey } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { CitewellError, messageOf } from "../../server/errors.ts";
import { isLoopback } from "../../server/lib/loopback.ts";
import { quoteValue } from "../../server/protocol/validation.ts";
import type { Terminal } from "../terminal.ts";

/** The options of the GitHub App. */
export interface GitHubOptions {
  githubApp?: string;
  githubClientId?: string;
  githubKey?: string;
  githubApi: string;
}

/** The settings of the GitHub App; undefined without one. The secret comes from the environment only. @throws InvalidUsage */
export async function readGitHubApp(
  { githubApp: slug = "", githubClientId: clientId = "", githubKey: file = "", githubApi }: GitHubOptions,
  { env, cwd, publicUrl }: Pick<Terminal, "env" | "cwd"> & { publicUrl: string | undefined },
) {
  const clientSecret = env["CITEWELL_GITHUB_CLIENT_SECRET"] ?? "";
  const needed = {
    "--github-app": slug,
    "--github-client-id": clientId,
    "--github-key": file,
    CITEWELL_GITHUB_CLIENT_SECRET: clientSecret,
  };
  // An empty variable counts as unset.
  const given = Object.entries(needed).filter(([, value]) => value !== "");
  if (given.length === 0) return undefined;
  const missing = Object.entries(needed).find(([, value]) => value === "");
  if (missing !== undefined) throw refuse(`${given[0]?.[0]} needs ${missing[0]}`);
  if (publicUrl === undefined) throw refuse("--github-app needs --public-url");
  if (!/^[\w-]+$/.test(slug)) throw refuse(`--github-app ${quoteValue(slug)} is not the name of an app in a URL`);
  const apiUrl = githubApi.replace(/\/+$/, "");
  const isUrl = URL.canParse(apiUrl) && (new URL(apiUrl).protocol === "https:" || isLoopback(apiUrl));
  if (!isUrl) throw refuse(`--github-api ${quoteValue(githubApi)} is not an https address`);
  return { slug, clientId, clientSecret, privateKey: await readKey(path.resolve(cwd, file)), apiUrl };
}

async function readKey(file: string): Promise<string> {
  try {
    const pem = await readFile(file, "utf8");
    if (createPrivateKey(pem).asymmetricKeyType === "rsa") return pem;
  } catch (error) {
    throw refuse(`--github-key ${quoteValue(file)} cannot be read as a private key: ${messageOf(error)}`);
  }
  throw refuse(`--github-key ${quoteValue(file)} is not an RSA key`);
}

function refuse(message: string): CitewellError {
  return new CitewellError("InvalidUsage", message, { hint: "docs/hosted.md, GitHub App, has an example" });
}
