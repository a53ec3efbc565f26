// Runs a program that must not outlive its parent process: node guard.mjs <folder> <program> <arguments…>
// Standard input is the lifeline. It ends when the starter closes it, or ends in whatever way; then every process of the
// program's group is ended, and its throw-away folder removed.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

const [folder, program, ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: ["ignore", "inherit", "inherit"], detached: true });
const exited = once(child, "exit").catch(() => {});
const released = new Promise((resolve) => {
  process.stdin.resume().once("close", resolve);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, resolve);
});
await Promise.race([exited, released]);
await endGroup();
await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
process.exit(child.exitCode ?? 1);

/** Asks first, and after five seconds asks no longer. */
async function endGroup() {
  signal("SIGTERM");
  const limit = Date.now() + 5000;
  while (signal(0) && Date.now() < limit) await delay(25);
  signal("SIGKILL");
}

/** False where no process of the group is left. */
function signal(name) {
  try {
    return child.pid !== undefined && process.kill(-child.pid, name);
  } catch {
    return false;
  }
}
