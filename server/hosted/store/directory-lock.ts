import { createHash } from "node:crypto";
import { once } from "node:events";
import { realpath, rm } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import path from "node:path";
import { text } from "node:stream/consumers";
import { CitewellError, messageOf } from "../../errors.ts";
import { acquireLock } from "../../lib/lock.ts";

/** Linux allows 107 bytes for the path of a socket, macOS 103. */
const socketPathBytes = 103;
const takeoverMs = 15_000;

/**
 * Locks a directory for this process until it is disposed of or the process ends, however it ends: the lock is a
 * listening socket, which the kernel closes. A lock that its holder must renew would not do, because a long database
 * call blocks the event loop. Only processes of one machine see each other.
 * @throws StorageFailed (another process holds it, with its id), InvalidPath (too long for a socket)
 */
export async function lockDirectory(directory: string): Promise<AsyncDisposable> {
  const address = await socketPath(directory, "lock");
  // Two processes that find the socket of a dead one must not both replace it.
  await using takeover = await acquireLock(path.join(directory, "lock.takeover"), { waitMs: takeoverMs });
  if (takeover === undefined) throw inUse(directory, "another process");
  const holder = await holderOf(address);
  if (holder !== undefined) throw inUse(directory, `process ${holder}`);
  if (process.platform !== "win32") await rm(address, { force: true });
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.end(String(process.pid));
  });
  await listen(server, address, directory);
  server.unref();
  return {
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The address of a local socket that belongs to a directory. @throws InvalidPath (too long) */
export async function socketPath(directory: string, name: string): Promise<string> {
  const real = await realpath(directory);
  if (process.platform === "win32") {
    return `\\\\.\\pipe\\citewell-${name}-${createHash("sha256").update(real.toLowerCase()).digest("hex")}`;
  }
  const address = path.join(real, `${name}.sock`);
  const excess = Buffer.byteLength(address) - socketPathBytes;
  if (excess <= 0) return address;
  throw new CitewellError("InvalidPath", `the path of the data directory is ${excess} bytes too long: ${real}`, {
    hint: "choose a shorter one with --data",
  });
}

/** The process id that the holder of the lock sends; undefined without a holder. */
async function holderOf(address: string): Promise<string | undefined> {
  const socket = connect(address);
  try {
    await once(socket, "connect");
    return await text(socket);
  } catch {
    return undefined;
  } finally {
    socket.destroy();
  }
}

async function listen(server: Server, address: string, directory: string): Promise<void> {
  server.listen(address);
  try {
    await once(server, "listening");
  } catch (error) {
    throw new CitewellError("StorageFailed", `the directory ${directory} cannot be locked: ${messageOf(error)}`, {
      hint: "choose a directory on a local disk with --data",
      cause: error,
    });
  }
}

function inUse(directory: string, holder: string): CitewellError {
  return new CitewellError("StorageFailed", `the data directory ${directory} is in use by ${holder}`, {
    hint: "the embedded database serves one process: stop the other one, or use PostgreSQL with --database",
  });
}
