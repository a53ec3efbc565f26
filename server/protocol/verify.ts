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

/** What a text cites, in its order, each with its state; what was not cited is not looked at. */
export const VerifyReply = z
  .object({
    citations: z.array(VerifiedCitation),
    snapshots: z.array(SnapshotInfo).describe("The snapshots that the citations were checked against."),
    unavailable: z
      .array(Unavailable)
      .optional()
      .describe("Resources that could not be opened; their citations were not checked."),
  })
  .meta({ id: "VerifyReply" });
export type VerifyReply = z.infer<typeof VerifyReply>;
