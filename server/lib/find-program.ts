import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import path from "node:path";

/** The environment and platform that a program is looked up in. */
export interface ProgramLocation {
  env: Readonly<Record<string, string | undefined>>;
  platform: NodeJS.Platform;
}

/** Finds the first executable of that name in `PATH`; on Windows with an extension from `PATHEXT`. */
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
 * Returns the arguments for `spawn`. npm's `.cmd` files need a shell on Windows
 * (https://nodejs.org/api/child_process.html#spawning-bat-and-cmd-files-on-windows), where `args` are not quoted and must
 * be plain words.
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

/** Variable names are case-insensitive on Windows. */
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
