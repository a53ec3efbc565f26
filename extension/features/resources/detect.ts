import { isOneOff } from "../../../server/protocol/reference.ts";
import { parseTyped } from "../../../server/protocol/typed-reference.ts";
import type { OneOff } from "../../../server/protocol/kinds/kinds.ts";

/** Every line of a text that names something beyond doubt. A bare word does not: it may be anything. */
export function detectAll(text: string): OneOff[] {
  const found = text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "" && !line.startsWith("#"))
    .map((line) => parseTyped(line));
  const addable = found.filter(isOneOff);
  return [...new Map(addable.map((reference) => [reference.canonical, reference])).values()];
}
