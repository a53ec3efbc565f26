import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { HistoryReply, type HistoryRequest } from "../server/protocol/git-history.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import { watchCost } from "./process-cost.ts";
import { processFigures } from "./process-figures.ts";
import { addressOf, serveTree } from "./server-process.ts";

/**
 * The history of an open folder with a million lines and 100,000 commits: time and memory of a server and its git for each
 * way of asking, without a commit graph, and with the one that the server has written after the first question.
 * `--tree DIR` asks about such a repository that is on disk. Linux only.
 */
const { values } = parseArgs({ options: { tree: { type: "string" } } });
const files = 5000;
const linesInFile = 200;
const commits = 100_000;
const commitsInRelease = 1000;
/** The one that is asked about. */
const file = 4321;

const isGraph = /\/snapshots\/.*\/commit-graph$/;

await using folder = await temporaryFolder();
const tree = values.tree ?? path.join(folder.path, "tree");
const git = (...args: string[]) => execFileSync("git", args, { cwd: tree, encoding: "utf8", stdio: "pipe" }).trim();
if (values.tree === undefined) {
  mkdirSync(tree);
  git("init", "--quiet", "--initial-branch=main");
  await makeHistory();
  git("checkout", "--quiet", "--force", "main");
}
// Git then neither writes nor reads one.
git("config", "core.commitGraph", "false");
await measure("without a commit graph");
git("config", "--unset", "core.commitGraph");
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
  const send = (request: Partial<HistoryRequest>, signal?: AbortSignal) =>
    fetch(`${address}/history`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ resource: "tree", ...request }),
      ...(signal === undefined ? {} : { signal }),
    });
  const ask = async (request: Partial<HistoryRequest>, signal?: AbortSignal) => {
    const response = await send(request, signal);
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
  if (how === "with a commit graph") await waitForGraph();
  // Definitions are found once the folder is indexed.
  while (!(await send({ place: `work${file}`, since: "v99.0.0" })).ok);
  for (const [name, request] of Object.entries(modes)) {
    // The first one reads the repository from disk.
    await ask(request);
    using cost = watchCost(pid);
    const usedBefore = cpuSeconds(pid);
    const startedAt = performance.now();
    const { total, notes } = await ask(request);
    const ms = performance.now() - startedAt;
    const used = cpuSeconds(pid) - usedBefore;
    const cut = notes.length === 0 ? "" : ` (${notes.join("; ")})`;
    console.log(
      `history-scale: ${how}, ${name}: ${seconds(ms)} s, CPU ${used.toFixed(2)} s, ${cost.cost().megabytes} MB, ${total} commits${cut}`,
    );
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

  async function waitForGraph(): Promise<void> {
    const startedAt = performance.now();
    await ask({ place });
    const answeredAt = performance.now();
    const graph = () =>
      readdirSync(home.path, { recursive: true, encoding: "utf8" }).find((file) => isGraph.test(file));
    let found = graph();
    for (; found === undefined; found = graph()) await new Promise((resolve) => setTimeout(resolve, 20));
    const [answered, written] = [answeredAt - startedAt, performance.now() - answeredAt];
    const bytes = statSync(path.join(home.path, found)).size;
    console.log(
      `history-scale: first question ${seconds(answered)} s; graph written after ${seconds(written)} s, ${bytes} bytes`,
    );
  }
}

/** CPU time of a process and of its children that have ended: proc_pid_stat(5). */
function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(2);
}
