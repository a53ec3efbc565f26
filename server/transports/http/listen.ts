import { once } from "node:events";
import type { Server } from "node:http";
import { CitewellError, messageOf } from "../../errors.ts";

/** How many connections may wait to be accepted. Node's 511 overflow when 1,000 clients connect at once. */
const backlog = 4096;

/** Starts to listen, and returns the port, also if 0 was given. @throws ServerFailed (the port is taken, or needs rights) */
export async function listen(server: Server, { host, port }: { host: string; port: number }): Promise<number> {
  try {
    server.listen({ port, host, backlog });
    await once(server, "listening");
  } catch (cause) {
    throw new CitewellError("ServerFailed", `cannot listen on ${host}:${port}: ${messageOf(cause)}`, {
      hint: "end what uses the port, or choose another one: --port 0 takes any that is free",
      cause,
    });
  }
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}
