import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { connectToServer } from "../cli/app/remote-app.ts";
import { messageOf } from "../server/errors.ts";
import { emptyAnswer, foldAnswer } from "../server/protocol/ask.ts";
import { cliEnvironment } from "../test/support/cli.ts";
import { startGitServer } from "../test/support/git-server.ts";
import { startNpmRegistry } from "../test/support/npm-registry.ts";
import { type ScriptedReply, type ScriptedRequest, scriptedModel } from "../test/support/scripted-model.ts";
import { median } from "./median.ts";
import { type ProcessFigures, processFigures } from "./process-figures.ts";

const fileCount = 60;
const questionsAtOnce = 20;
const callLimitMs = 30_000;
const idleLimitMs = 20_000;
/** The allowed growth of an idle server: a socket or file kept for the next call. */
const handleSlack = 8;
const memorySlack = 1.2;
const kinds = ["local", "git", "npm"] as const;
type Kind = (typeof kinds)[number];

const { values } = parseArgs({ options: { seconds: { type: "string", default: "60" } } });
const durationMs = Number(values.seconds) * 1000;

const faults: string[] = [];
const counts = { answered: 0, cancelled: 0, searched: 0, added: 0, cleared: 0, reloaded: 0 };
let questionCount = 0;
let openHangs = 0;

const folder = mkdtempSync(path.join(os.tmpdir(), "citewell-soak-"));
const tree = path.join(folder, "tree");
mkdirSync(tree);
for (const [name, text] of Object.entries(files("local"))) writeFileSync(path.join(tree, name), text);

await using git = await startGitServer();
await git.commit("repository", files("git"));
await using registry = await startNpmRegistry();
const published = Object.entries(files("npm")).map(([name, text]) => `//- ${name}\n${text}`);
registry.publish({ name: "pkg", version: "1.0.0", files: published.join("") });
writeFileSync(path.join(folder, ".npmrc"), `registry=${registry.url}\n`);
await using model = await scriptedModel(reply);

const home = path.join(folder, "home");
mkdirSync(home);
const config = { ...model.config, allowHosts: ["localhost"], resources: kinds.map((kind) => resource(kind, kind)) };
writeFileSync(path.join(home, "citewell.config.jsonc"), JSON.stringify(config));

const server = spawn(process.execPath, [path.resolve("dist/citewell.mjs"), "serve", "--port", "0", "--quiet"], {
  cwd: folder,
  env: cliEnvironment(folder, { CITEWELL_HOME: home, SSL_CERT_FILE: git.caFile, NODE_EXTRA_CA_CERTS: git.caFile }),
  stdio: ["ignore", "pipe", "inherit"],
});
try {
  const [line] = await once(server.stdout, "data", { signal: AbortSignal.timeout(callLimitMs) });
  const url = String(line)
    .replace(/^listening on /, "")
    .trim();
  await soak(url, () => processFigures(server.pid ?? 0));
} finally {
  server.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
for (const fault of faults.slice(0, 20)) console.error(`soak: ${fault}`);
if (faults.length > 0) process.exitCode = 1;

async function soak(url: string, figures: () => ProcessFigures): Promise<void> {
  const app = await connectToServer(url, { fetch, signal: new AbortController().signal });
  for (const kind of kinds) await ask([kind], kind);
  const before = await rest(figures, undefined);
  report("at rest, after one question of each kind", before);

  const startedAt = performance.now();
  const isOver = () => performance.now() - startedAt >= durationMs;
  const samples: ProcessFigures[] = [];
  await Promise.all([
    ...Array.from({ length: questionsAtOnce }, () => repeat(askSomething)),
    repeat(search),
    repeat(addAndRemove),
    repeat(clear, 1500),
    repeat(reload, 300),
    repeat(commit, 2000),
    sample(),
  ]);
  const after = await rest(figures, before);
  report("at rest again", after);
  compare(before, after, samples);

  async function repeat(task: () => Promise<void>, pauseMs = 0): Promise<void> {
    while (!isOver()) {
      await task().catch((error: unknown) => faults.push(`${task.name}: ${messageOf(error)}`));
      if (pauseMs > 0) await delay(pauseMs);
    }
  }

  async function askSomething(): Promise<void> {
    const number = questionCount++;
    const kind = kinds[number % kinds.length] ?? "local";
    const asked = number % 4 === 0 ? kinds : [kind];
    await (number % 7 === 3 ? cancel(asked, kind, number) : ask(asked, kind));
  }

  /** `resources` are names; the answer comes from the first one of this kind. */
  async function ask(resources: readonly string[], kind: Kind, onMeta?: () => Promise<void>): Promise<void> {
    const name = resources.find((resource) => resource.startsWith(kind)) ?? kind;
    const number = questionCount++ % fileCount;
    const question = `What is the value? ask=${name}|file-${number}.ts|answer`;
    const signal = AbortSignal.timeout(callLimitMs);
    let answer = emptyAnswer;
    for await (const event of app.ask({ question, resources: [...resources] }, { signal })) {
      if (event.type === "meta") await onMeta?.();
      if (event.type === "error") throw new Error(`${name}: ${event.tag}: ${event.message}`);
      answer = foldAnswer(answer, event);
    }
    const states = answer.citations.map(({ state, path: file, resource }) => `${state} ${resource} ${file}`).join();
    const isRight = answer.text.startsWith(`It is ${kind}-${number}-end [file-${number}.ts:1-2](`);
    if (isRight && states === `verified ${name} file-${number}.ts`) counts.answered++;
    else faults.push(`a wrong answer: ${answer.text} (${states})`);
  }

  /** Cancels at a random moment: immediately, while resources open, or while the model is silent. */
  async function cancel(resources: readonly string[], kind: Kind, number: number): Promise<void> {
    const controller = new AbortController();
    const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(callLimitMs)]);
    const question = `What is the value? ask=${kind}|file-${number % fileCount}.ts|hang`;
    if (number % 2 === 0) setTimeout(() => controller.abort(), number % 50);
    try {
      for await (const event of app.ask({ question, resources: [...resources] }, { signal })) {
        if (event.type === "tool.updated" && event.state.status === "completed") controller.abort();
        if (event.type === "error") throw new Error(`${kind}: ${event.tag}: ${event.message}`);
      }
    } catch (error) {
      if (!controller.signal.aborted) throw error;
    }
    counts.cancelled++;
  }

  async function search(): Promise<void> {
    const kind = kinds[counts.searched % kinds.length] ?? "local";
    const number = counts.searched % fileCount;
    const request = { query: `${kind}-${number}-end`, mode: "exact", limit: 20 } as const;
    const { results } = await app.search(request, { signal: AbortSignal.timeout(callLimitMs) });
    const found = results.filter(({ resource, path: file }) => resource === kind && file === `file-${number}.ts`);
    if (found.length !== 1) faults.push(`search "${request.query}" found ${JSON.stringify(results)}`);
    counts.searched++;
  }

  /** Removes a resource while a question reads it: the question keeps its snapshot. */
  async function addAndRemove(): Promise<void> {
    const kind = kinds[counts.added % kinds.length] ?? "local";
    const name = `${kind}-extra-${counts.added++}`;
    const signal = AbortSignal.timeout(callLimitMs);
    await app.addResource(resource(kind, name), { signal });
    await ask([name], kind, async () => void (await app.removeResource({ name }, { signal })));
  }

  async function clear(): Promise<void> {
    await app.clear({}, { signal: AbortSignal.timeout(callLimitMs) });
    counts.cleared++;
  }

  async function reload(): Promise<void> {
    const signal = AbortSignal.timeout(callLimitMs);
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${url}/reload-config`, { method: "POST", headers, body: "{}", signal });
    if (!response.ok) throw new Error(await response.text());
    await response.arrayBuffer();
    counts.reloaded++;
  }

  async function sample(): Promise<void> {
    while (!isOver()) {
      await delay(Math.min(1000, durationMs / 10));
      samples.push(figures());
      if (samples.length % 10 === 0) report(`after ${Math.round((performance.now() - startedAt) / 1000)} s`, figures());
      // The scripted model keeps all requests, in this process's memory and not in the server's.
      model.requests.length = 0;
    }
  }
}

async function commit(): Promise<void> {
  await git.commit("repository", { "NOTES.md": `${questionCount} questions\n` });
  writeFileSync(path.join(tree, "NOTES.md"), `${questionCount} questions\n`);
}

/** The figures once the server is idle, or after `idleLimitMs`. */
async function rest(figures: () => ProcessFigures, before: ProcessFigures | undefined): Promise<ProcessFigures> {
  const limit = performance.now() + idleLimitMs;
  // Idle connections close after five seconds, Node's default.
  await delay(6000);
  for (;;) {
    const now = figures();
    const isQuiet = now.children === 0 && openHangs === 0;
    const isBack = before === undefined || now.handles <= before.handles + handleSlack;
    if ((isQuiet && isBack) || performance.now() > limit) return now;
    await delay(250);
  }
}

function compare(before: ProcessFigures, after: ProcessFigures, samples: readonly ProcessFigures[]): void {
  const third = Math.floor(samples.length / 3);
  const memory = samples.map(({ residentMb }) => residentMb);
  const middle = median(memory.slice(third, 2 * third));
  const last = median(memory.slice(2 * third));
  const peak = Math.max(...memory);
  console.log(`soak: resident, median of the middle third ${middle} MB, of the last ${last} MB, peak ${peak} MB`);
  console.log(`soak: ${JSON.stringify(counts)}, ${faults.length} faults`);
  if (last > middle * memorySlack) faults.push(`memory grew from ${middle} to ${last} MB`);
  if (after.handles > before.handles + handleSlack) faults.push(`handles: ${before.handles} to ${after.handles}`);
  if (after.children > before.children) faults.push(`children: ${before.children} to ${after.children}`);
  if (openHangs > 0) faults.push(`${openHangs} calls of the model are open whose questions were cancelled`);
}

function report(when: string, { residentMb, handles, threads, children }: ProcessFigures): void {
  console.log(
    `soak: ${when.padEnd(42)} ${String(residentMb).padStart(4)} MB, ${String(handles).padStart(3)} handles, ${String(threads).padStart(2)} threads, ${children} children; ${counts.answered} answers`,
  );
}

/** One read, then an answer that quotes it, so that a mix-up between questions is visible. */
function reply({ body, toolResults, closed }: ScriptedRequest): ScriptedReply {
  const [, name = "", file = "", ending] = /ask=([\w-]+)\|([\w.-]+)\|(\w+)/.exec(JSON.stringify(body.messages)) ?? [];
  const shown = toolResults.at(-1);
  if (shown === undefined) return { toolCalls: [{ name: "read", input: { resource: name, path: file } }] };
  if (ending === "hang") {
    openHangs++;
    void closed.then(() => openHangs--);
    return { text: "It is ", hang: true };
  }
  return { text: ["It is ", `${/\w+-\d+-end/.exec(shown)?.[0]} [[${name}:`, `${file}#L1-L2]].`] };
}

function resource(kind: Kind, name: string) {
  switch (kind) {
    case "local":
      return { type: kind, name, path: tree };
    case "git":
      return { type: kind, name, url: git.url("repository"), branch: "main", refresh: "always" as const };
    case "npm":
      return { type: kind, name, package: "pkg" };
  }
}

function files(kind: Kind): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: fileCount }, (_, index) => [
      `file-${index}.ts`,
      `/** The value of ${kind}. */\nexport const value${index} = "${kind}-${index}-end";\n${"// filler\n".repeat(index)}`,
    ]),
  );
}
