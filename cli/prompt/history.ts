import { appendFile, mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";
import { replaceFile } from "../../server/lib/replace-file.ts";

/** The input of earlier sessions, newest first. */
export interface LineHistory {
  lines: readonly string[];
  /** Never fails: a history that cannot be kept is no reason to stop. */
  add(line: string): Promise<void>;
}

const lineLimit = 500;
/** A longer one is a document that was pasted, not something to type again. */
const lengthLimit = 5000;

/** Kept in `repl-history.jsonl`, one JSON string a line; sessions that run at once add to the same file. */
export async function openHistory(directory: string): Promise<LineHistory> {
  const file = path.join(directory, "repl-history.jsonl");
  const text = await readFile(file, "utf8").catch(() => "");
  const kept = text.split("\n").flatMap(parseLine);
  const lines = [...new Set(kept.toReversed())].slice(0, lineLimit);
  if (kept.length > 2 * lineLimit) {
    await replaceFile(file, lines.toReversed().map(formatLine).join(""), { mode: 0o600 }).catch(() => {});
  }
  return {
    get lines() {
      return lines;
    },
    async add(line) {
      const known = lines.indexOf(line);
      if (known === 0 || line.length > lengthLimit) return;
      if (known > 0) lines.splice(known, 1);
      lines.unshift(line);
      await mkdir(directory, { recursive: true, mode: 0o700 }).catch(() => {});
      await appendFile(file, formatLine(line), { mode: 0o600 }).catch(() => {});
    },
  };
}

function formatLine(line: string): string {
  return `${JSON.stringify(line)}\n`;
}

function parseLine(text: string): string[] {
  try {
    const line = z.string().safeParse(JSON.parse(text));
    return line.success ? [line.data] : [];
  } catch {
    return [];
  }
}
