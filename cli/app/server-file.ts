import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";
import { messageOf } from "../../server/errors.ts";
import type { Log } from "../../server/lib/log.ts";
import { isRunning } from "../../server/lib/owner.ts";
import { parseJson } from "../../server/lib/parse-json.ts";
import { replaceFile } from "../../server/lib/replace-file.ts";

/** What a running server leaves for others to find it by (docs/contract.md, "Command line"). */
const ServerFile = z.object({
  pid: z.int().positive(),
  port: z.int().min(1).max(65_535),
  version: z.string(),
  folder: z.string().optional().describe("Whose project configuration and installed packages it answers with."),
  environment: z
    .record(z.string(), z.string())
    .optional()
    .describe("A hash of each variable of its environment that decides which servers it reaches, and as whom."),
});
export type ServerFile = z.infer<typeof ServerFile>;

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The file of a running server. Disposing of it removes the file. */
export interface Announcement {
  port: number;
  version: string;
  /** Undefined of a server that is for more than one. */
  folder: string | undefined;
  env: Environment;
  log: Log;
}

/**
 * Leaves a file of its own in `servers/`, and `server.json` unless another running server has left that. Disposing of it
 * removes what is its own, and gives `server.json` to another server that runs. A server that cannot write serves all
 * the same.
 */
export async function announceServer(
  dataDirectory: string,
  { port, version, folder, env, log }: Announcement,
): Promise<AsyncDisposable> {
  const place = folder === undefined ? {} : { folder };
  const content = { pid: process.pid, port, version, ...place, environment: hashEnvironment(env) };
  const own = path.join(folderOf(dataDirectory), `${process.pid}-${port}.json`);
  const common = commonFile(dataDirectory);
  try {
    await mkdir(folderOf(dataDirectory), { recursive: true, mode: 0o700 });
    await write(own, content);
    const holder = await read(common);
    if (holder === undefined || !isRunning(holder.pid)) await write(common, content);
  } catch (error) {
    log.warn("server-file", { file: own, error: messageOf(error) });
  }
  return {
    async [Symbol.asyncDispose]() {
      await rm(own, { force: true });
      const holder = await read(common);
      if (holder?.pid !== process.pid || holder.port !== port) return;
      const heir = (await readServerFiles(dataDirectory)).find(({ pid }) => pid !== process.pid);
      if (heir === undefined) await rm(common, { force: true });
      else await write(common, heir).catch(() => rm(common, { force: true }));
    },
  };
}

/** What `server.json` says; undefined where there is none, or it is not readable. That server may not run any more. */
export function readServerFile(dataDirectory: string): Promise<ServerFile | undefined> {
  return read(commonFile(dataDirectory));
}

/** The servers that run. What a killed one left is removed. */
export async function readServerFiles(dataDirectory: string): Promise<ServerFile[]> {
  const names = await readdir(folderOf(dataDirectory)).catch(() => []);
  const files = [...names.map((name) => path.join(folderOf(dataDirectory), name)), commonFile(dataDirectory)];
  const running = new Map<string, ServerFile>();
  for (const file of files) {
    const found = await read(file);
    if (found === undefined) continue;
    if (isRunning(found.pid)) running.set(`${found.pid}-${found.port}`, found);
    else await rm(file, { force: true }).catch(() => {});
  }
  return [...running.values()];
}

/**
 * Whether a server reaches the same servers with the same keys as a process with `env` would: each variable that counts
 * is set alike there. It may have more of them.
 */
export function hasEnvironment({ environment = {} }: ServerFile, env: Environment): boolean {
  return Object.entries(hashEnvironment(env)).every(([name, hash]) => environment[name] === hash);
}

/** Keys of providers, proxies, certificates, and how git connects. */
const counts = /_API_KEY$|_PROXY$|_proxy$|^NODE_EXTRA_CA_CERTS$|^SSL_CERT_FILE$|^GIT_(?:SSH|SSL|CONFIG)/;

function hashEnvironment(env: Environment): Record<string, string> {
  const hash = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 16);
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value && counts.test(name) ? [[name, hash(value)]] : [])),
  );
}

function folderOf(dataDirectory: string): string {
  return path.join(dataDirectory, "servers");
}

function commonFile(dataDirectory: string): string {
  return path.join(dataDirectory, "server.json");
}

function write(file: string, content: ServerFile): Promise<void> {
  return replaceFile(file, `${JSON.stringify(content)}\n`, { mode: 0o600 });
}

/** Undefined where there is none, or it is not readable. */
async function read(file: string): Promise<ServerFile | undefined> {
  const text = await readFile(file, "utf8").catch(() => "");
  return ServerFile.safeParse(parseJson(text)).data;
}
