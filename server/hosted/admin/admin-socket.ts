import { once } from "node:events";
import { rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import * as z from "zod";
import { CitewellError, fromErrorBody, toErrorBody } from "../../errors.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { ErrorBody } from "../../protocol/error.ts";
import { type Admin, adminMethods, type AdminName, adminNames, type AdminOutput } from "../../protocol/hosted.ts";
import { socketPath } from "../store/directory-lock.ts";
import type { Store } from "../store/store.ts";
import { type AdminOptions, createAdmin } from "./admin.ts";

const socketName = "admin";
const AdminRequest = z.object({ method: z.enum(adminNames), input: z.unknown() });
const AdminReply = z.union([z.object({ output: z.unknown() }).strict(), ErrorBody]);

/**
 * Serves the operator's methods on a local socket in the data directory, until it is disposed of: the embedded database
 * serves one process, and keys are made while the service runs. The directory belongs to the operator alone.
 * @param options.directory of the socket
 */
export async function serveAdmin(
  store: Store,
  { directory, ...options }: AdminOptions & { directory: string },
): Promise<AsyncDisposable> {
  const address = await socketPath(directory, socketName);
  // The lock on the directory is held: a socket that is there belongs to a process that was killed.
  if (process.platform !== "win32") await rm(address, { force: true });
  const admin = createAdmin(store, options);
  const answer = async (socket: Socket) => {
    socket.on("error", () => {});
    try {
      const { method, input } = AdminRequest.parse(parseJson(await readAll(socket)));
      socket.end(JSON.stringify({ output: await admin(method, input) }));
    } catch (error) {
      socket.end(JSON.stringify(toErrorBody(error)));
    }
  };
  const server = createServer({ allowHalfOpen: true }, (socket) => void answer(socket));
  server.listen(address);
  await once(server, "listening");
  return {
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const methods: { [Name in AdminName]: { output: z.ZodType<AdminOutput<Name>> } } = adminMethods;

/** The methods of the service that runs over a data directory; undefined if none does. */
export async function connectAdmin(directory: string): Promise<Admin | undefined> {
  const address = await socketPath(directory, socketName).catch(() => undefined);
  if (address === undefined || !(await isServed(address))) return undefined;
  return async (method, input) => methods[method].output.parse(await request(address, { method, input }));
}

/** Reads to the end and leaves the other direction open; iterating over a socket would destroy it. */
async function readAll(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(socket, "end");
  return Buffer.concat(chunks).toString();
}

async function isServed(address: string): Promise<boolean> {
  const socket = connect(address);
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function request(address: string, message: object): Promise<unknown> {
  const socket = connect({ path: address, allowHalfOpen: true });
  socket.end(JSON.stringify(message));
  const reply = AdminReply.safeParse(parseJson(await text(socket)));
  if (!reply.success)
    throw new CitewellError("ServerFailed", "the running service sent an answer that cannot be parsed");
  if ("output" in reply.data) return reply.data.output;
  throw fromErrorBody(reply.data);
}
