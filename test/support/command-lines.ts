import { readdir, readFile } from "node:fs/promises";

/** The command lines of all processes; none where there is no `/proc`. */
export async function readCommandLines(): Promise<string[]> {
  const processes = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  return Promise.all(processes.map((id) => readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "")));
}
