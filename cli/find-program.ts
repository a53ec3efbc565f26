import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";
import type { Terminal } from "./terminal.ts";

/** The files that PATH has for a command, in order; on Windows with the extensions of programs. */
export function findPrograms(name: string, { env, platform }: Pick<Terminal, "env" | "platform">): string[] {
  const folders = (env["PATH"] ?? env["Path"] ?? "").split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const extensions = platform === "win32" ? [".exe", ".cmd", ".bat", ""] : [""];
  return folders.flatMap((folder) => extensions.map((end) => path.join(folder, name + end))).filter(isProgram);
}

/** Whether the file exists and may be executed. */
export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
