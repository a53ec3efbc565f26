import { createHash } from "node:crypto";
import { languageOf } from "../../source/languages.ts";
import { hashBytes } from "../index/segment.ts";

/** Files of equal hash have the same entry in an index: all of it comes from the text and the way it is read. */
export function fileHash({ path, text, isRanked }: { path: string; text: string; isRanked: boolean }): string {
  const kind = isRanked ? languageOf(path).family : "exact";
  return createHash("sha256")
    .update(`${kind}\n`)
    .update(text)
    .digest("hex")
    .slice(0, 2 * hashBytes);
}
