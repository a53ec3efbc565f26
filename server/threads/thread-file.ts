import { open, readFile } from "node:fs/promises";
import { codeOf } from "../errors.ts";
import { type ThreadTurn, turnsBefore } from "../protocol/threads.ts";
import { replaceFile } from "../lib/replace-file.ts";
import { parseTurn } from "./parse-turn.ts";

/** Only the user reads conversations. */
const mode = 0o600;

/**
 * The turns of a thread's file, oldest first; undefined where there is no file. A line that is no turn is passed over:
 * the last one of a writer that was killed is half there. `mentioning` leaves out, unparsed, those in which one of
 * these strings is no value.
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
 * Adds a turn to those that are there, in the place of those asked at `replacesSince` or later; where they are too
 * many then, the oldest go. The file is made where it is missing.
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

/** The newest lines that stay within the limits; the last one in any case. */
function fitting(lines: readonly string[], { turns, bytes }: { turns: number; bytes: number }): readonly string[] {
  let size = 0;
  const tooMany = lines.findLastIndex((line, index) => {
    size += Buffer.byteLength(line);
    return index < lines.length - 1 && (lines.length - index > turns || size > bytes);
  });
  return lines.slice(tooMany + 1);
}

/** What must stand before the next line, where a writer that was killed left half of one. */
async function lineEndFor(handle: Awaited<ReturnType<typeof open>>): Promise<string> {
  const { size } = await handle.stat();
  if (size === 0) return "";
  const { buffer } = await handle.read({ buffer: Buffer.alloc(1), position: size - 1 });
  return buffer.toString() === "\n" ? "" : "\n";
}
