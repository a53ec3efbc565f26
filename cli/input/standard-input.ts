import { once } from "node:events";
import { fstatSync } from "node:fs";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { CitewellError } from "../../server/errors.ts";
import type { InputStream, Terminal } from "../terminal.ts";

/** How long standard input may send nothing, in seconds. A writer that needs longer sets the variable; 0 is no limit. */
const silenceSeconds = 30;
const silenceVariable = "CITEWELL_STDIN_TIMEOUT";

/** After this long a person at the terminal sees what is being waited for. */
const noticeMs = 2000;

/**
 * How long optional input may take to begin. Programs that start us often leave an open pipe behind (Node makes it a
 * socket) that never sends anything; a writer in the same shell pipeline started when we did, before Node did.
 */
const graceMs = { pipe: 750, socket: 250 };

/**
 * The text of standard input, piece by piece, to its end. A pipe may take as long as it likes while it keeps sending.
 * @throws InputSilent, where it stays open and sends nothing; never at a terminal, where a person types
 */
export async function* readStandardInput({ stdin, stderr, env, signal }: Terminal): AsyncGenerator<string> {
  const limitMs = stdin.isTTY ? 0 : silenceLimitMs(env);
  const timers: NodeJS.Timeout[] = [];
  const startWaiting = () => {
    if (limitMs > 0) timers.push(setTimeout(() => stdin.destroy(silent(limitMs)), limitMs));
    if (stderr.isTTY && !stdin.isTTY)
      timers.push(setTimeout(() => stderr.write("waiting for standard input\n"), noticeMs));
  };
  const stopWaiting = () => timers.splice(0).forEach(clearTimeout);
  const onAbort = () => stdin.destroy();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    startWaiting();
    for await (const chunk of stdin.setEncoding("utf8")) {
      // What the caller does with it is not the writer's silence.
      stopWaiting();
      yield String(chunk);
      startWaiting();
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    stopWaiting();
    signal.removeEventListener("abort", onAbort);
  }
  signal.throwIfAborted();
}

/** Standard input as one text, cut off once it is longer than `limit` characters. @throws InputSilent */
export async function readAllInput(terminal: Terminal, limit: number): Promise<string> {
  let text = "";
  for await (const chunk of readStandardInput(terminal)) {
    text += chunk;
    if (text.length > limit) break;
  }
  return text;
}

/** Text that may have been piped in. */
export interface OptionalInput {
  text: string;
  /** `silent`: a pipe that sent nothing; `open`: one that stopped in the middle. */
  end: "complete" | "silent" | "open";
}

/** Text that may have been piped in. The command does not wait for a pipe that stays silent. */
export async function readOptionalInput(terminal: Terminal, limit: number): Promise<OptionalInput> {
  const kind = kindOfInput(terminal.stdin);
  if (kind === "other") return { text: "", end: "complete" };
  if (kind !== "file" && !(await begins(terminal, kind))) {
    return { text: "", end: kind === "pipe" ? "silent" : "complete" };
  }
  let text = "";
  try {
    for await (const chunk of readStandardInput(terminal)) {
      text += chunk;
      if (text.length > limit) break;
    }
  } catch (error) {
    if (!(error instanceof CitewellError) || error.tag !== "InputSilent") throw error;
    return { text, end: text === "" ? "silent" : "open" };
  }
  return { text, end: "complete" };
}

/** At a terminal a pipe is one that the person made, and is waited for. */
async function begins({ stdin, stderr, signal }: Terminal, kind: keyof typeof graceMs): Promise<boolean> {
  if (kind === "pipe" && stderr.isTTY) return true;
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const readable = once(stdin, "readable", { signal: either }).then(() => true);
  // On a busy machine the time may be over before what has arrived is read: Node reads it before the immediate.
  const late = sleep(graceMs[kind], undefined, { signal: either }).then(() => setImmediate(false));
  try {
    const hasBegun = await Promise.race([readable, late]);
    if (!hasBegun) stdin.destroy();
    return hasBegun;
  } finally {
    stop.abort();
    await Promise.allSettled([readable, late]);
    signal.throwIfAborted();
  }
}

function kindOfInput({ fd }: InputStream): "pipe" | "socket" | "file" | "other" {
  try {
    const stat = fstatSync(fd);
    if (stat.isFIFO()) return "pipe";
    if (stat.isSocket()) return "socket";
    return stat.isFile() ? "file" : "other";
  } catch {
    return "other";
  }
}

function silenceLimitMs(env: Terminal["env"]): number {
  const text = env[silenceVariable]?.trim() ?? "";
  const seconds = text === "" ? silenceSeconds : Number(text);
  if (seconds >= 0 && seconds <= 86_400) return seconds * 1000;
  throw new CitewellError("InvalidUsage", `${silenceVariable} is ${JSON.stringify(text)}, not a number of seconds`, {
    hint: `${silenceVariable}=120 waits two minutes; 0 waits without a limit`,
  });
}

function silent(limitMs: number): CitewellError {
  return new CitewellError("InputSilent", `standard input stayed open but sent nothing for ${limitMs / 1000} seconds`, {
    hint: `close it (</dev/null), or set ${silenceVariable} to the seconds to wait (0: no limit)`,
  });
}
