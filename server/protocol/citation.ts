import * as z from "zod";

/**
 * What checking a citation found. *Verified* means: this text is there, at this revision, and was read in this run.
 * It never means that the claim is true.
 *
 * - `verified`: the path exists, the lines are in range, a quote is in them, and every line was shown to the model.
 * - `relocated`: the quoted text is in the file at other lines, which were shown; `claimed` keeps the model's lines.
 * - `not-read`: real, but some line was never shown to the model in this run.
 * - `mismatch`: the quoted text is nowhere in the file, or another revision is cited.
 * - `out-of-range`: the file has fewer lines.
 * - `missing`: no such path, or no such resource.
 */
export const CitationState = z.enum(["verified", "relocated", "not-read", "mismatch", "out-of-range", "missing"]);
export type CitationState = z.infer<typeof CitationState>;

const LineNumber = z.int().min(1).describe("1-based.");
const ClaimedLine = z.int().min(0).describe("1-based, as the model wrote it.");

/** Lines of a file: 1-based, inclusive. */
export const LineRange = z.object({ startLine: LineNumber, endLine: LineNumber });
export type LineRange = z.infer<typeof LineRange>;

export const Citation = z
  .object({
    id: z.string().describe("Unique within the answer, in the order of the text: c1, c2, …"),
    resource: z.string(),
    path: z.string().describe("Relative to the resource's root, with forward slashes."),
    startLine: ClaimedLine,
    endLine: ClaimedLine,
    claimed: z.object({ startLine: ClaimedLine, endLine: ClaimedLine }).optional(),
    quote: z.string().optional(),
    state: CitationState,
    reason: z.string().optional().describe("Why the state is not verified, in words."),
    revision: z.string().describe("A commit, a package version with its integrity, or a content hash."),
    url: z.string().optional().describe("A permanent link at that revision, where the host has one."),
  })
  .meta({ id: "Citation" });
export type Citation = z.infer<typeof Citation>;

/** Whether a citation stands: the states that `--strict` accepts. */
export function isProved(citation: Pick<Citation, "state">): boolean {
  return citation.state === "verified" || citation.state === "relocated";
}
