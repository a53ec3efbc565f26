import { mkdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";
import { messageOf } from "../server/errors.ts";
import type { Log } from "../server/lib/log.ts";
import { replaceFile } from "../server/lib/replace-file.ts";

/** What a running server leaves for others to find it by (spec/wire.md, last rule of "Configuration"). */
const ServerFile = z.object({
  pid: z.int().positive(),
  port: z.int().min(1).max(65_535),
  version: z.string(),
  folder: z.string().optional().describe("Whose project configuration and installed packages it answers with."),
});
export type ServerFile = z.infer<typeof ServerFile>;

export function serverFilePath(dataDirectory: string): string {
  return path.join(dataDirectory, "server.json");
}

/**
 * Writes `server.json`, and removes it when disposed of, unless another server has written its own since. A server
 * that cannot leave it serves all the same.
 */
export async function announceServer(
  dataDirectory: string,
  { port, version, folder, log }: { port: number; version: string; folder: string; log: Log },
): Promise<AsyncDisposable> {
  const file = serverFilePath(dataDirectory);
  try {
    await mkdir(dataDirectory, { recursive: true, mode: 0o700 });
    await replaceFile(file, `${JSON.stringify({ pid: process.pid, port, version, folder })}\n`, { mode: 0o600 });
  } catch (error) {
    log.warn("server-file", { file, error: messageOf(error) });
  }
  return {
    async [Symbol.asyncDispose]() {
      const own = await readServerFile(dataDirectory);
      if (own?.pid === process.pid && own.port === port) await rm(file, { force: true });
    },
  };
}

/** What the last server left; undefined where there is nothing, or nothing readable. It may not run any more. */
export async function readServerFile(dataDirectory: string): Promise<ServerFile | undefined> {
  try {
    return ServerFile.parse(JSON.parse(await readFile(serverFilePath(dataDirectory), "utf8")));
  } catch {
    return undefined;
  }
}
