import type { WalkedFile } from "../resources/walk.ts";
import type { PartRange } from "./text-parts.ts";

/** A file of a tree, for a thread or process that reads it in place. */
export interface FileToRead extends Pick<WalkedFile, "path" | "target" | "stamp"> {
  /** The parts that matter of it; undefined for all. */
  ranges?: readonly PartRange[] | undefined;
}
