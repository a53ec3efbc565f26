import { once } from "node:events";
import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { withoutPausedEnd } from "../../../scripts/undici-end.mjs";
import { bundle } from "../../support/run-bundled.ts";

/** How a body's end is said, all with the end of the connection. */
const framings = {
  length: (body: Buffer) => [`HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`, body],
  end: (body: Buffer) => ["HTTP/1.0 200 OK\r\n\r\n", body],
  chunked: (body: Buffer) => [
    `HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n`,
    body,
    "\r\n0\r\n\r\n",
  ],
  short: (body: Buffer) => [`HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: ${body.length + 1}\r\n\r\n`, body],
};

test.each(["length", "end", "chunked", "short"] as const)(
  "a server that closes the connection while its answer is read slowly ends no process: %s",
  async (framing) => {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", (request) => {
        const size = Number(/\d+/.exec(request.toString())?.[0]);
        for (const part of framings[framing](Buffer.alloc(size, "a"))) socket.write(part);
        socket.end();
      });
    });
    onTestFinished(() => void server.close());
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    await using script = await bundle("read-slowly.ts", { plugins: [withoutPausedEnd] });
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    const sizes = Array.from({ length: 40 }, (_, index) => 40_000 * (index + 1));
    await using running = script.start({ addresses: sizes.map((size) => `http://127.0.0.1:${port}/${size}`) });
    // A process that hangs would outlive a test that runs out of time.
    onTestFinished(() => void running.process.kill("SIGKILL"));
    const read = JSON.parse(await running.line("["));
    expect(read).toEqual(framing === "short" ? sizes.map(() => "TypeError: terminated") : sizes);
  },
);
