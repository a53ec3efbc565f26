import { open, readFile } from "node:fs/promises";
import { codeOf } from "../errors.ts";
import { type ThreadTurn, turnsBefore } from "../protocol/threads.ts";
import { replaceFile } from "../lib/replace-file.ts";
import { parseTurn } from "./parse-turn.ts";

/** Only the user may read conversations. */
const mode = 0o600;

/**
 * Reads the turns of a thread, oldest first; undefined if the file is missing. Invalid lines are skipped: a killed writer
 * leaves a partial last line. `mentioning` skips, without parsing, lines that lack one of these strings as a JSON value.
 */
export async function readTurns(
  file: string,
  { mentioning = [] }: { mentioning?: readonly string[] } = {},
): Promise<ThreadTurn[] | undefined> {
  const values = mentioning.map((value) => JSON.stringify(value));
  try {
    const text = await readFile(file, "utf8");
    const lines = text.split("\n").filter((line) => values.every((value) => line.includes(value)));
    return lines.map(parseTurn).filter((turn) => turn !== undefined);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Appends a turn, replacing turns asked at `replacesSince` or later, and drops the oldest turns beyond the limits. Creates
 * the file if it is missing.
 */
export async function writeTurn(
  file: string,
  turn: ThreadTurn,
  {
    earlier,
    replacesSince,
    ...limits
  }: { earlier: readonly ThreadTurn[]; replacesSince?: string | undefined; turns: number; bytes: number },
): Promise<void> {
  const staying = turnsBefore(earlier, replacesSince);
  const lines = [...staying, turn].map((one) => `${JSON.stringify(one)}\n`);
  const kept = fitting(lines, limits);
  if (kept.length <= earlier.length) return replaceFile(file, kept.join(""), { mode });
  await using handle = await open(file, "a+", mode);
  await handle.appendFile(`${await lineEndFor(handle)}${lines.at(-1)}`);
}

/** The newest lines within the limits, at least the last one. */
function fitting(lines: readonly string[], { turns, bytes }: { turns: number; bytes: number }): readonly string[] {
  let size = 0;
  const tooMany = lines.findLastIndex((line, index) => {
    size += Buffer.byteLength(line);
    return index < lines.length - 1 && (lines.length - index > turns || size > bytes);
  });
  return lines.slice(tooMany + 1);
}

/** The line end needed before the next line if a killed writer left a partial one. */
async function lineEndFor(handle: Awaited<ReturnType<typeof open>>): Promise<string> {
  const { size } = await handle.stat();
  if (size === 0) return "";
  const { buffer } = await handle.read({ buffer: Buffer.alloc(1), position: size - 1 });
  return buffer.toString() === "\n" ? "" : "\n";
}
