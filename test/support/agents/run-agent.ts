import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { text as readText } from "node:stream/consumers";
import { type AgentModel, startAgentModel, type ToolCall } from "./agent-model.ts";
import type { Agent, Setup } from "./agents.ts";

/** What to run, and where. */
export interface AgentRunOptions extends Omit<Setup, "modelUrl"> {
  executable: string;
  /** What its model calls, in this order. */
  calls: readonly ToolCall[];
  /** Variables of the run beside the agent's own. */
  env?: Readonly<Record<string, string>>;
  /** The milliseconds after which it is killed. */
  timeoutMs: number;
}

/** What a run has shown. */
export interface AgentRun extends Pick<AgentModel, "results" | "offered" | "log"> {
  /** Standard output and standard error. */
  output: string;
}

/** Requests to other hosts go to a port where nothing listens. */
const onlyLoopback = {
  HTTP_PROXY: "http://127.0.0.1:9",
  HTTPS_PROXY: "http://127.0.0.1:9",
  NO_PROXY: "127.0.0.1,localhost",
};

/** Runs an agent until its model has received all results and has answered, then ends what it leaves behind. */
export async function runAgent(
  agent: Agent,
  { executable, calls, env = {}, timeoutMs, ...setup }: AgentRunOptions,
): Promise<AgentRun> {
  await using model = await startAgentModel(calls);
  const run = await agent.prepare({ ...setup, modelUrl: `http://127.0.0.1:${model.port}` });
  // Nothing of this process's environment: it may have keys and settings of the agent.
  const environment = {
    PATH: process.env["PATH"] ?? "",
    HOME: setup.home,
    TERM: "dumb",
    CI: "1",
    ...onlyLoopback,
    ...env,
    ...run.env,
  };
  const outputs: string[] = [];
  for (const argv of run.before === undefined ? [run.args] : [run.before, run.args]) {
    const child = spawn(executable, [...argv], {
      cwd: setup.workspace,
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    // The process group includes the agent's child processes.
    const timer = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), timeoutMs);
    const [stdout, stderr] = await Promise.all([readText(child.stdout), readText(child.stderr), once(child, "close")]);
    clearTimeout(timer);
    outputs.push(stdout, stderr);
  }
  await endProcessesOf(setup.home);
  return { results: model.results, offered: model.offered, log: model.log, output: outputs.join("\n") };
}

/** Ends background processes that an agent leaves, found by their temporary home. Linux only. */
async function endProcessesOf(home: string): Promise<void> {
  for (const entry of await readdir("/proc").catch(() => [])) {
    const pid = Number(entry);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
    if (!environment.split("\0").includes(`HOME=${home}`)) continue;
    try {
      process.kill(pid);
    } catch {
      // The process has already ended.
    }
  }
}
