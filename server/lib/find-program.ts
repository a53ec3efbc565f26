import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import path from "node:path";

export interface ProgramLocation {
  env: Readonly<Record<string, string | undefined>>;
  platform: NodeJS.Platform;
}

/** The first file of that name in `PATH` that can be run; on Windows with one of the endings in `PATHEXT`. */
export async function findProgram(name: string, { env, platform }: ProgramLocation): Promise<string | undefined> {
  const isWindows = platform === "win32";
  const folders = (valueOf(env, "PATH") ?? "").split(isWindows ? ";" : ":").filter((folder) => folder !== "");
  const endings = isWindows ? (valueOf(env, "PATHEXT") ?? ".COM;.EXE;.BAT;.CMD").split(";") : [""];
  for (const folder of folders) {
    for (const ending of endings) {
      const file = path.join(folder, `${name}${ending.toLowerCase()}`);
      if (await canRun(file, isWindows)) return file;
    }
  }
  return undefined;
}

/**
 * What `spawn` takes to start a file that was found. npm's `.cmd` files need a shell on Windows
 * (https://nodejs.org/api/child_process.html#spawning-bat-and-cmd-files-on-windows); `args` are then not quoted, so that
 * they must be plain words.
 */
export function toSpawn(
  file: string,
  args: readonly string[],
  { platform }: Pick<ProgramLocation, "platform">,
): { file: string; args: string[]; shell: boolean } {
  const needsShell = platform === "win32" && /\.(?:cmd|bat)$/i.test(file);
  if (!needsShell) return { file, args: [...args], shell: false };
  return { file: [`"${file}"`, ...args].join(" "), args: [], shell: true };
}

/** Windows does not distinguish the case of a variable's name. */
function valueOf(env: ProgramLocation["env"], name: string): string | undefined {
  if (env[name] !== undefined) return env[name];
  const key = Object.keys(env).find((candidate) => candidate.toUpperCase() === name);
  return key === undefined ? undefined : env[key];
}

async function canRun(file: string, isWindows: boolean): Promise<boolean> {
  try {
    if (!(await stat(file)).isFile()) return false;
    if (!isWindows) await access(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
