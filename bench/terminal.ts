import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { type Multiplexer, multiplexers } from "../test/support/multiplexers.ts";
import { openTerminal } from "../test/support/screen.ts";
import { median, quantile } from "./median.ts";
import { watchCost } from "./process-cost.ts";

const answerLines = 2000;
const tokensPerSecond = 200;
const keyCount = 100;
const starts = 12;

const folder = mkdtempSync(path.join(os.tmpdir(), "citewell-bench-"));
const home = path.join(folder, ".home");
mkdirSync(path.join(folder, "demo"), { recursive: true });
mkdirSync(home);
writeFileSync(path.join(folder, "demo/a.ts"), "export const delayMs = 100;\n");
const model = await startStreamingModel();
const config = {
  provider: "openai-compat",
  model: "streaming",
  providerOptions: { "openai-compat": { baseURL: model.url, name: "bench" } },
  resources: [{ type: "local", name: "demo", path: path.join(folder, "demo") }],
};
writeFileSync(path.join(home, "citewell.config.jsonc"), JSON.stringify(config));

try {
  await measureStart();
  const sizes = [
    { columns: 80, rows: 24 },
    { columns: 200, rows: 50 },
  ];
  for (const size of sizes) await measureTyping(size);
  for (const inside of multiplexers.filter((name) => name === "tmux"))
    await measureTyping({ columns: 80, rows: 24, inside });
} finally {
  model.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);

/** Measures the time from the start of the process to the first prompt, beside `node -e 0`. */
async function measureStart(): Promise<void> {
  const bare: number[] = [];
  const prompt: number[] = [];
  for (let run = 0; run <= starts; run++) {
    const nodeAt = performance.now();
    spawnSync(process.execPath, ["-e", "0"]);
    const startedAt = performance.now();
    await using screen = openTerminal([], { cwd: folder });
    await screen.shows(/^❯/m);
    if (run === 0) continue;
    bare.push(startedAt - nodeAt);
    prompt.push(performance.now() - startedAt);
  }
  const over = median(prompt) - median(bare);
  console.log(`terminal: first prompt ${over.toFixed(0)} ms over node -e 0 (aim: 60), median of ${starts}`);
}

/** Types while an answer of many lines goes on at 200 tokens a second: from the key to the chunk that shows it. */
async function measureTyping(size: { columns: number; rows: number; inside?: Multiplexer }): Promise<void> {
  await using screen = openTerminal([], { cwd: folder, ...size });
  await screen.shows(/^❯/m);
  screen.type("Long?\r");
  await screen.shows(/word\d+/);
  using watch = watchCost(screen.pid);
  const bytesBefore = screen.output().length;
  const startedAt = performance.now();
  const latencies: number[] = [];
  let draft = "";
  for (let index = 0; index < keyCount; index++) {
    draft += "abcdefghij"[index % 10];
    if (draft.length > size.columns - 10) {
      draft = "a";
      screen.type("\u0015");
    }
    const pressedAt = performance.now();
    screen.type(draft.at(-1) ?? "");
    await screen.shows(new RegExp(`^❯ ${draft}$`, "m"));
    latencies.push(performance.now() - pressedAt);
    await new Promise((resolve) => setTimeout(resolve, 70 + (index % 7) * 10));
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const output = screen.output();
  const name = `${size.columns}x${size.rows}${size.inside === undefined ? "" : ` inside ${size.inside}`}`;
  console.log(
    `terminal: ${name}, typing while it streams: p50 ${median(latencies).toFixed(1)}, p95 ${quantile(latencies, 0.95).toFixed(1)} ms (aim: 16), ` +
      `${((output.length - bytesBefore) / 1000 / seconds).toFixed(1)} KB/s (aim: 20), ${output.split(/\[[23]J/).length - 1} clears`,
  );
  // What follows would measure the multiplexer: its process, and the pause that it makes before it resizes.
  if (size.inside !== undefined) return;
  const { seconds: cpuSeconds, megabytes } = watch.cost();
  const cpuShare = (100 * cpuSeconds) / seconds;
  console.log(`terminal: ${name}, ${cpuShare.toFixed(0)} % CPU, ${megabytes.toFixed(0)} MB (aim: 120)`);
  const storm: number[] = [];
  for (let index = 0; index < 40; index++) {
    const columns = 40 + ((index * 37) % 160);
    const resizedAt = performance.now();
    await screen.resize({ columns, rows: size.rows });
    await screen.shows(new RegExp(`^─{${Math.max(1, columns - 30)},}`, "m"));
    storm.push(performance.now() - resizedAt);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  console.log(`terminal: ${name}, resized 20 times a second: p95 ${quantile(storm, 0.95).toFixed(0)} ms (aim: 50)`);
}

/** A model on loopback: 2,000 lines at once, then words at a steady rate until the client has had enough. */
async function startStreamingModel(): Promise<{ url: string; close(): void }> {
  const server = createServer((_request, response) => void stream(response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}/v1`, close: () => server.closeAllConnections() };
}

async function stream(response: ServerResponse): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (content: string) =>
    response.write(
      `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 0, model: "streaming", choices: [{ index: 0, delta: { role: "assistant", content } }] })}\n\n`,
    );
  const kinds = [
    "Line N of the answer, with **bold** and `code`.",
    "- item N",
    "漢字 N 👩‍👩‍👧",
    "```ts\nconst lineN = N;\n```",
  ];
  const lines = Array.from({ length: answerLines }, (_, index) =>
    index === answerLines - 1 ? `Line ${index}` : (kinds[index % kinds.length] ?? "").replaceAll("N", String(index)),
  );
  send(`${lines.join("\n\n")}\n\n`);
  for (let token = 0; !response.destroyed; token++) {
    send(token % 12 === 11 ? `word${token}.\n\n` : `word${token} `);
    await new Promise((resolve) => setTimeout(resolve, 1000 / tokensPerSecond));
  }
}
