import { once } from "node:events";
import { createServer, connect } from "node:net";
import path from "node:path";
import { expect, test } from "vitest";
import type { TerminalInput } from "../../../cli/tui/input.ts";
import { readInput } from "../../../cli/tui/read-input.ts";
import { temporaryFolder } from "../../support/folder.ts";

test("a key whose second part arrives while this process is busy is that key, and not Escape", async () => {
  await using folder = await temporaryFolder();
  const server = createServer().listen(path.join(folder.path, "socket"));
  await once(server, "listening");
  const terminal = connect(path.join(folder.path, "socket"));
  const [[stdin]] = await Promise.all([once(server, "connection"), once(terminal, "connect")]);
  const read: TerminalInput[] = [];
  using input = readInput({ stdin });
  const hasRead = new Promise<void>((resolve) => {
    input.connect({
      onInput(inputs) {
        read.push(...inputs);
        if (read.length > 0) resolve();
      },
      onEnd() {},
    });
  });
  stdin.once("data", () => {
    terminal.write("[A");
    // Longer than an Escape waits for what may follow.
    for (const end = performance.now() + 100; performance.now() < end;);
  });
  terminal.write("\u001B");
  await hasRead;
  expect(read).toEqual([{ type: "key", key: "up" }]);
  terminal.destroy();
  server.close();
});
