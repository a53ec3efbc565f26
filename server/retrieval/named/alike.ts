import type { LineRange } from "../../protocol/citation.ts";
import type { FileReference, RankedPassage } from "../retrieval.ts";

type Found = Omit<RankedPassage, "score">;
interface Group {
  first: Found;
  stubs: LineRange[];
  copies: (FileReference & LineRange)[];
  /** In the first group only: definitions in tests, if others are in source. */
  tests: (FileReference & LineRange)[];
}

/**
 * Definitions of one name, the longest first and tests last. Those that repeat an earlier one are listed with it instead
 * of being shown, and those in tests with the first one, unless tests are wanted.
 */
export function createGroups({ wantsTests }: { wantsTests: boolean }): {
  add(found: Found): void;
  count(): number;
  all(): Found[];
} {
  const groups: Group[] = [];
  return {
    add(found) {
      const implemented = groups.find(({ first }) => isStubOf(found, first));
      const same = groups.find(({ first }) => isCopyOf(found, first));
      const [best] = groups;
      if (implemented !== undefined) implemented.stubs.push(found);
      else if (same !== undefined) same.copies.push(found);
      else if (!wantsTests && found.kind === "test" && best !== undefined && best.first.kind !== "test")
        best.tests.push(found);
      else groups.push({ first: found, stubs: [], copies: [], tests: [] });
    },
    count: () => groups.length,
    all: () => groups.map(describe),
  };
}

/** An overload or a forward declaration: in the same file and owner, without a body. */
function isStubOf(found: Found, first: Found): boolean {
  const isBeside = found.resource === first.resource && found.path === first.path && ownerOf(found) === ownerOf(first);
  const isShorter = found.lines.length < first.lines.length;
  return isBeside && isShorter && /(?:;|\.\.\.)\s*$/.test(found.lines.at(-1) ?? "");
}

/** Shorter definitions are often equal without being copies. */
const leastCopied = 4;

/** Generated or vendored: the same text in another file. */
function isCopyOf(found: Found, first: Found): boolean {
  const isElsewhere = found.resource !== first.resource || found.path !== first.path;
  return isElsewhere && found.lines.length >= leastCopied && textOf(found) === textOf(first);
}

function ownerOf({ scope }: Found): string {
  return scope.map(({ name, startLine }) => `${name}:${startLine}`).join(" ");
}

function textOf({ lines }: Found): string {
  return lines.map((line) => line.trim()).join("\n");
}

function describe({ first, stubs, copies, tests }: Group): Found {
  if (stubs.length + copies.length + tests.length === 0) return first;
  const overloads = stubs
    .map(({ startLine, endLine }) => ({ startLine, endLine }))
    .toSorted((a, b) => a.startLine - b.startLine);
  return { ...first, repeats: { overloads, copies: copies.map(placeOf), tests: tests.map(placeOf) } };
}

function placeOf({ resource, path, startLine, endLine }: FileReference & LineRange): FileReference & LineRange {
  return { resource, path, startLine, endLine };
}
