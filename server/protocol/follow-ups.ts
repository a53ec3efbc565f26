import * as z from "zod";
import { Citation } from "./citation.ts";

export const FollowUpsRequest = z
  .object({
    citations: z
      .array(Citation.pick({ resource: true, path: true, startLine: true, endLine: true }))
      .max(500)
      .describe("The proved citations of the last answer."),
    asked: z.array(z.string().max(100_000)).max(500).default([]).describe("Questions that are not suggested again."),
  })
  .meta({ id: "FollowUpsRequest" });
export type FollowUpsRequest = z.infer<typeof FollowUpsRequest>;

/** What one may ask next; the resources have an answer to each. */
export const FollowUps = z
  .object({ questions: z.array(z.string()).max(3).describe("In English, ready to be asked: `Who calls send?`") })
  .meta({ id: "FollowUps" });
export type FollowUps = z.infer<typeof FollowUps>;
