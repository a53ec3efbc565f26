import * as z from "zod";
import { SnapshotInfo } from "./ask.ts";
import { Citation } from "./citation.ts";
import { isAbsolutePath } from "./resource-fields.ts";
import { resourceRefs, Scope, Unavailable } from "./resource.ts";

/** The longest text that is verified, in UTF-16 units. */
export const verifiedLength = 1_000_000;

export const VerifyRequest = z
  .object({
    text: z
      .string()
      .max(verifiedLength, `a text to verify has at most ${verifiedLength} characters`)
      .describe("Markdown that cites paths with lines, permanent links, or markers."),
    file: z
      .string()
      .max(4096)
      .refine(isAbsolutePath, "the document's path is absolute")
      .optional()
      .describe(
        "The absolute path of the document: its project is checked first, and relative paths start in its folder.",
      ),
    resources: resourceRefs("check").optional(),
    scope: Scope.optional(),
  })
  .meta({ id: "VerifyRequest" });
export type VerifyRequest = z.infer<typeof VerifyRequest>;

export const VerifiedCitation = Citation.omit({ textRange: true, inCode: true })
  .extend({
    at: z.object({
      line: z.int().min(1).describe("The line in the verified text."),
      text: z.string().describe("The citation as written there."),
    }),
  })
  .meta({ id: "VerifiedCitation" });
export type VerifiedCitation = z.infer<typeof VerifiedCitation>;

/**
 * What checking a relative link found. It says nothing of lines: links to lines are citations.
 *
 * - `found`: the file or folder is there.
 * - `missing`: it is not.
 * - `outside`: the link leads out of the project, where nothing is looked at.
 * - `not-checked`: the project could not be opened.
 */
export const FileLinkState = z.enum(["found", "missing", "outside", "not-checked"]);
export type FileLinkState = z.infer<typeof FileLinkState>;

/** What each state is called wherever people read it. */
export const fileLinkStateWords = {
  found: "found",
  missing: "missing",
  outside: "outside",
  "not-checked": "not checked",
} as const satisfies Record<FileLinkState, string>;

export const FileLink = z
  .object({
    target: z.string().describe("As it is written, encoded and with its fragment."),
    resource: z.string().describe("Where the file is or was looked for; empty if nowhere."),
    path: z.string().describe("From the resource's root if it was found, else as it is written, decoded."),
    state: FileLinkState,
    reason: z.string().optional().describe("Why the state is not `found`, in words."),
    at: z.object({
      line: z.int().min(1).describe("The line in the verified text."),
      text: z.string().describe("The target as written there."),
    }),
  })
  .meta({ id: "FileLink" });
export type FileLink = z.infer<typeof FileLink>;

/** What a text cites, in its order, each with its state; what was not cited is not looked at. */
export const VerifyReply = z
  .object({
    citations: z.array(VerifiedCitation),
    links: z
      .array(FileLink)
      .optional()
      .describe(
        "The relative links of a Markdown document to files and folders, in their order; absent if there are none.",
      ),
    snapshots: z.array(SnapshotInfo).describe("The snapshots that the citations were checked against."),
    unavailable: z
      .array(Unavailable)
      .optional()
      .describe("Resources that could not be opened; their citations were not checked."),
  })
  .meta({ id: "VerifyReply" });
export type VerifyReply = z.infer<typeof VerifyReply>;
