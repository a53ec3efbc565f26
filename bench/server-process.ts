import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

/** Reads the address of `citewell serve` from its output. */
export async function addressOf({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error("the server has no output");
  const [line] = await once(stdout, "data");
  return String(line)
    .replace(/^listening on /, "")
    .trim();
}
