import { CitewellError } from "../../server/errors.ts";

/** The version of what `--json` prints; it grows only when a key changes its meaning or goes away. */
export const schemaVersion = 1;

/** What `--json` prints: one document with the version first, or, as a line, without white space and version. */
export function jsonText(value: object, { isLine = false } = {}): string {
  return isLine ? `${JSON.stringify(value)}\n` : `${JSON.stringify({ schemaVersion, ...value }, null, 2)}\n`;
}

/** Whether errors are to be JSON, too. Told by the arguments as they came: they may be wrong in all else. */
export function wantsJson(args: readonly string[]): boolean {
  return args.includes("--json") || args.includes("--jsonl");
}

/** @throws InvalidUsage (`--json` with a format that is another) */
export function requireOneFormat({ json, format }: { json?: boolean; format: string }): void {
  if (json !== true || format === "text" || format === "json") return;
  throw new CitewellError("InvalidUsage", `--json and --format ${format} cannot be used together`, {
    hint: "use --format text with --json, or leave --json away",
  });
}
