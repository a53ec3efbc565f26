import type { ErrorBody } from "../../../server/protocol/error.ts";

/** What went wrong, told by shape: the errors of `server-error.ts` come from another bundle, with a class of its own. */
export function errorBodyOf(error: unknown): ErrorBody {
  if (!(error instanceof Error)) return { error: String(error), tag: "Internal" };
  const tag = "tag" in error && typeof error.tag === "string" ? error.tag : "Internal";
  const hint = "hint" in error && typeof error.hint === "string" ? { hint: error.hint } : {};
  return { error: error.message, tag, ...hint };
}
