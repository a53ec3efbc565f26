import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { HistoryReply, type HistoryRequest } from "../server/protocol/git-history.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import { watchCost } from "./process-cost.ts";
import { processFigures } from "./process-figures.ts";
import { addressOf, serveTree } from "./server-process.ts";

/**
 * The history of a repository with a million lines and 100,000 commits: time and memory of a server and its git for each
 * way of asking, as git has imported it, and with the commit graph that a fetched history has. Linux only.
 */
const files = 5000;
const linesInFile = 200;
const commits = 100_000;
const commitsInRelease = 1000;
/** The one that is asked about. */
const file = 4321;

await using folder = await temporaryFolder();
const tree = path.join(folder.path, "tree");
mkdirSync(tree);
const git = (...args: string[]) => execFileSync("git", args, { cwd: tree, encoding: "utf8", stdio: "pipe" }).trim();
git("init", "--quiet", "--initial-branch=main");
await makeHistory();
git("checkout", "--quiet", "--force", "main");
await measure("as imported");
git("commit-graph", "write", "--reachable", "--changed-paths");
await measure("with a commit graph");

async function makeHistory(): Promise<void> {
  const importing = spawn("git", ["fast-import", "--quiet"], { cwd: tree, stdio: ["pipe", "inherit", "inherit"] });
  const ended = once(importing, "close");
  const write = async (text: string) => {
    if (!importing.stdin.write(text)) await once(importing.stdin, "drain");
  };
  const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const startsAt = Date.parse("2010-01-01") / 1000;
  const begin = (number: number, message: string) =>
    write(`commit refs/heads/main\ncommitter A <a@example.com> ${startsAt + number * 3600} +0000\n${data(message)}`);
  const texts = Array.from({ length: files }, (_, at) =>
    Array.from({ length: linesInFile }, (_, line) => textOf(at, line)),
  );
  const modify = (at: number) => write(`M 100644 inline ${pathOf(at)}\n${data(`${texts[at]?.join("\n")}\n`)}`);
  await begin(0, "Start");
  for (let at = 0; at < files; at++) await modify(at);
  // A fixed sequence, so that runs compare.
  let seed = 1;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fff_ffff;
    return Math.floor((seed / 0x8000_0000) * below);
  };
  for (let number = 1; number < commits; number++) {
    const at = random(files);
    const line = 1 + random(linesInFile - 2);
    texts[at]?.splice(line, 1, `  step(${at}, ${line}, input, ${number});`);
    await begin(number, `Change step ${line} of file ${at}`);
    await modify(at);
    if (number % commitsInRelease === 0) {
      await write(`reset refs/tags/v${number / commitsInRelease}.0.0\nfrom refs/heads/main\n\n`);
    }
  }
  importing.stdin.end();
  await ended;
}

function textOf(at: number, line: number): string {
  if (line === 0) return `export function work${at}(input) {`;
  return line === linesInFile - 1 ? "}" : `  step(${at}, ${line}, input);`;
}

function pathOf(at: number): string {
  return `src/area${at % 50}/part${Math.floor(at / 50) % 10}/file${at}.js`;
}

async function measure(how: string): Promise<void> {
  await using home = await temporaryFolder();
  symlinkSync(tree, path.join(home.path, "tree"));
  const server = serveTree(home.path, { config: { provider: "builtin", model: "extractive", providerOptions: {} } });
  const { pid = 0 } = server;
  const address = await addressOf(server);
  const ask = async (request: Partial<HistoryRequest>, signal?: AbortSignal) => {
    const response = await fetch(`${address}/history`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ resource: "tree", ...request }),
      ...(signal === undefined ? {} : { signal }),
    });
    if (!response.ok) throw new Error(await response.text());
    return HistoryReply.parse(await response.json());
  };
  const place = pathOf(file);
  const changed = git("log", "-n", "1", "--format=%h", "--", place);
  const text = git("log", "-n", "1", "-p", "--unified=0", "--format=", "--", place)
    .split("\n")
    .findLast((line) => line.startsWith("+"))
    ?.slice(1);
  const modes: Record<string, Partial<HistoryRequest>> = {
    path: { place },
    lines: { place: `${place}:10-20` },
    definition: { place: `work${file}` },
    "text of a file": { place, text },
    "text anywhere": { text },
    blame: { place, blame: true },
    commit: { commit: changed },
    "folder since a release": { place: "src/area7", since: "v90.0.0" },
  };
  for (const [name, request] of Object.entries(modes)) {
    // The first one reads the repository from disk.
    await ask(request);
    using cost = watchCost(pid);
    const startedAt = performance.now();
    const { total, notes } = await ask(request);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(2);
    const cut = notes.length === 0 ? "" : ` (${notes.join("; ")})`;
    console.log(`history-scale: ${how}, ${name}: ${seconds} s, ${cost.cost().megabytes} MB, ${total} commits${cut}`);
  }
  const controller = new AbortController();
  const asking = ask({ text: "never there" }, controller.signal).catch(() => {});
  while (processFigures(pid).children === 0) await new Promise((resolve) => setImmediate(resolve));
  const cancelledAt = performance.now();
  controller.abort();
  await asking;
  while (processFigures(pid).children > 0) await new Promise((resolve) => setImmediate(resolve));
  console.log(`history-scale: ${how}, git is gone ${Math.round(performance.now() - cancelledAt)} ms after cancelling`);
  server.kill();
  await once(server, "exit");
}
