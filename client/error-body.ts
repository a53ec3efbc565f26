import type { ErrorBody } from "../server/protocol/error.ts";

/** Reads an error by its shape: bundles have separate classes for the errors of the server. */
export function errorBodyOf(error: unknown): ErrorBody {
  if (!(error instanceof Error)) return { error: String(error), tag: "Internal" };
  const tag = "tag" in error && typeof error.tag === "string" ? error.tag : "Internal";
  const hint = "hint" in error && typeof error.hint === "string" ? { hint: error.hint } : {};
  return { error: error.message, tag, ...hint };
}
