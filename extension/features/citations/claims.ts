import type { LineRange } from "../../../server/protocol/citation.ts";
import type { VerifiedCitation } from "../../../server/protocol/verify.ts";

/** A citation or link, and the columns of its line: 0-based, the end exclusive. */
export interface LocatedClaim<Claim> {
  claim: Claim;
  columns: { start: number; end: number };
}

/** The range of each in its line; equal texts on one line are taken in their order. */
export function locateClaims<Claim extends Pick<VerifiedCitation, "at">>(
  claims: readonly Claim[],
  textOfLine: (line: number) => string,
): LocatedClaim<Claim>[] {
  const searchedTo = new Map<string, number>();
  return claims.map((claim) => {
    const { line, text } = claim.at;
    const content = textOfLine(line);
    const key = `${line} ${text}`;
    const found = content.indexOf(text, searchedTo.get(key) ?? 0);
    if (found === -1) return { claim, columns: { start: 0, end: content.length } };
    searchedTo.set(key, found + text.length);
    return { claim, columns: { start: found, end: found + text.length } };
  });
}

/** A citation as it is written, with other lines: `#L10-L20`, `#10-20`, `:10`. Undefined where its lines are not found. */
export function withLines(written: string, claimed: LineRange, now: LineRange): string | undefined {
  const match = [...written.matchAll(lines)].find(({ groups }) => {
    const start = Number(groups?.["start"]);
    return start === claimed.startLine && Number(groups?.["end"] ?? start) === claimed.endLine;
  });
  if (match === undefined) return undefined;
  const mark = match.groups?.["mark"] ?? "";
  const dash = match.groups?.["dash"] ?? (mark.endsWith("L") ? "-L" : "-");
  const end = now.startLine === now.endLine ? "" : `${dash}${now.endLine}`;
  return `${written.slice(0, match.index)}${mark}${now.startLine}${end}${written.slice(match.index + match[0].length)}`;
}

const lines = /(?<mark>[:#]L?)(?<start>\d+)(?:(?<dash>[-–—]L?)(?<end>\d+))?(?!\d)/g;
