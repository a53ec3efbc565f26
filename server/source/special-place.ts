/** Lines that a question is about, whatever words they have: the entry of an option, a file with a usual name. */
export interface SpecialPlace {
  /** An expression for their first line. */
  pattern: string;
  /** The most telling files first. */
  files: readonly string[];
  reason: string;
  height: number;
  /** An expression for those first lines that are preferred, such as a heading. */
  best?: string;
  /** An expression for first lines that count only if they are underlined. */
  underlined?: string;
  /** An expression for the first line after them. */
  end?: string;
  /** Whether it is the entry of a name, in one of several forms. */
  isEntry?: boolean;
  /** Words of the question, in lower case: a file with one as its name is preferred. */
  near?: readonly string[];
  /** Whether its lines count by how many of those words they have, and not at all without two of them. */
  hasSubject?: boolean;
  /** A file that is only about it: globs, and expressions for the line that says so, best first. */
  ownFile?: { globs: readonly string[]; forms: readonly string[] } | undefined;
  /** An expression for the line of code that declares an option. */
  declaration?: string | undefined;
  /** An expression for a member of that name, which counts with a comment above it. */
  member?: string | undefined;
  /** The option that it is compared with. */
  other?: SpecialPlace;
}

/** A place that answers a question which most projects answer. */
export interface UsualPlace extends SpecialPlace {
  asks: RegExp;
  except?: RegExp;
}

export const heading = "^(?:#+ |\\[?v?\\d+\\.\\d+)";
/** The section with this heading, also one that is underlined, or else the first line of `mention`. */
export function section(
  words: string,
  mention?: string,
): Pick<SpecialPlace, "pattern" | "best" | "underlined" | "end" | "height"> {
  const start = String.raw`^(?:#+ (?:\W{0,6}|.{0,30} )|=+ )?(?:${words})\W{0,6}$`;
  const pattern = mention === undefined ? start : `${start}|${mention}`;
  return { pattern, best: start, underlined: `^\\w.{0,30} (?:${words})\\W{0,6}$`, end: heading, height: 20 };
}
