import * as z from "zod";

/** What every wire sends when an operation fails: what happened, its stable name, and the next thing to do. */
export const ErrorBody = z
  .object({
    error: z.string().describe("One sentence that says what happened, with the value at fault."),
    tag: z.string().describe("The stable name of the error; docs/errors.md lists them."),
    hint: z.string().optional().describe("What to do next."),
  })
  .meta({ id: "Error" });
export type ErrorBody = z.infer<typeof ErrorBody>;
