import * as z from "zod";
import { Answer, ToolTrace } from "./ask.ts";
import { Citation } from "./citation.ts";
import { ResourceSpec } from "./resource.ts";

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** What a citation pointed at when it was made: enough to find it again, or to see that it is gone. */
export const CitedText = z
  .object({
    citation: z.string().describe("The citation's id within the turn."),
    file: Sha256.describe("The hash of the whole file's text."),
    text: Sha256.describe("The hash of the cited lines, joined by line feeds."),
    length: z.int().nonnegative().describe("The length of the cited lines so joined, in UTF-16 units."),
    lines: z
      .array(z.string())
      .optional()
      .describe("The cited lines with secrets masked; sent by getThread if the file is still stored."),
  })
  .meta({ id: "CitedText" });
export type CitedText = z.infer<typeof CitedText>;

const Projects = z
  .array(z.string())
  .describe("The absolute paths of the projects that the conversation belongs to; absent in older conversations.");

/** One question of a thread and what was answered. A field that is added must be optional: what is on disk is read with this. */
export const ThreadTurn = Answer.omit({ thread: true, reasoning: true, tools: true })
  .extend({
    question: z.string(),
    askedAt: z.iso.datetime(),
    reasoning: z.string().optional().describe("The start of the model's reasoning."),
    tools: z.array(ToolTrace).optional().describe("The steps of the answer, without the output of their tools."),
    references: z
      .array(z.string())
      .describe(
        "The resources that the question named, as references that open from any folder; empty if it named none.",
      ),
    sources: z
      .array(ResourceSpec)
      .optional()
      .describe("The configured resources of the question, with absolute paths: they open from any folder."),
    projects: Projects.optional(),
    ended: z.enum(["cancelled", "failed"]).optional().describe("Why the answer is partial; absent if it is complete."),
    cited: z.array(CitedText).describe("One entry for each citation of existing lines."),
  })
  .meta({ id: "ThreadTurn" });
export type ThreadTurn = z.infer<typeof ThreadTurn>;

const threadFields = {
  id: z.string(),
  title: z.string().describe("The start of its first question, on one line."),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime().describe("When its last question was asked."),
  isHere: z
    .boolean()
    .optional()
    .describe(
      "False for a conversation of another project. A question that names no resource is then about the conversation's own.",
    ),
};

export const Thread = z
  .object({ ...threadFields, turns: z.array(ThreadTurn).describe("Oldest first.") })
  .meta({ id: "Thread" });
export type Thread = z.infer<typeof Thread>;

export const ThreadSummary = z
  .object({
    ...threadFields,
    turnCount: z.int().positive(),
    resources: z.array(z.string()).describe("The resources of all its questions."),
    projects: Projects.optional(),
  })
  .meta({ id: "ThreadSummary" });
export type ThreadSummary = z.infer<typeof ThreadSummary>;

export const ThreadList = z
  .object({ threads: z.array(ThreadSummary).describe("The most recently used first.") })
  .meta({ id: "ThreadList" });

export const ThreadRef = z
  .object({ id: z.string().min(1, "a thread's id must not be empty").max(64) })
  .meta({ id: "ThreadRef" });

export const ThreadDeleted = z.object({ success: z.literal(true), id: z.string() }).meta({ id: "ThreadDeleted" });

/**
 * The current state of a cited text.
 *
 * - `unchanged`: the same lines in the same place.
 * - `moved`: the same lines elsewhere, in the same file or in one of the same name.
 * - `changed`: the file exists, the lines do not.
 * - `gone`: the file does not exist any more; of a commit, the history was rewritten without it.
 * - `unknown`: the resource or the file cannot be read.
 */
export const RecheckState = z.enum(["unchanged", "moved", "changed", "gone", "unknown"]);
export type RecheckState = z.infer<typeof RecheckState>;

const Place = z.object({ path: z.string(), startLine: z.int().min(1), endLine: z.int().min(1) });

export const RecheckedCitation = z
  .object({
    turn: z.int().min(1).describe("1-based."),
    citation: Citation,
    state: RecheckState,
    reason: z.string().optional().describe("Why the state is unknown, or the commit gone, in words."),
    now: Place.optional().describe("The current place of the lines, if they exist."),
    revision: z.string().optional().describe("The revision that was checked."),
  })
  .meta({ id: "RecheckedCitation" });
export type RecheckedCitation = z.infer<typeof RecheckedCitation>;

export const ThreadRecheck = z
  .object({
    id: z.string(),
    title: z.string(),
    citations: z.array(RecheckedCitation).describe("The citations of existing lines; the others were never valid."),
  })
  .meta({ id: "ThreadRecheck" });
export type ThreadRecheck = z.infer<typeof ThreadRecheck>;

/** The turns that were asked before a time, in the form of `askedAt`; all where there is none. */
export function turnsBefore(turns: readonly ThreadTurn[], since: string | undefined): readonly ThreadTurn[] {
  return since === undefined ? turns : turns.filter(({ askedAt }) => Date.parse(askedAt) < Date.parse(since));
}

/** Whether a cited text still exists. */
export function stillHolds({ state }: Pick<RecheckedCitation, "state">): boolean {
  return state === "unchanged" || state === "moved";
}
