import { parseTyped } from "../../../server/protocol/typed-reference.ts";
import type { Addable } from "./spec.ts";

/** Every line of a text that names something beyond doubt. A bare word does not: it may be anything. */
export function detectAll(text: string): Addable[] {
  const found = text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "" && !line.startsWith("#"))
    .map((line) => parseTyped(line));
  const addable = found.filter((reference) => reference.type !== "name" && reference.type !== "invalid");
  return [...new Map(addable.map((reference) => [reference.canonical, reference])).values()];
}
