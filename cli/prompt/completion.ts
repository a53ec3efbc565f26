import type { Choice } from "./picker.ts";

/** What the last word of a command may become. */
export interface Completion extends Choice {
  /** Replaces the word; ends with a space where the word is complete. */
  word: string;
}
