import * as z from "zod";

/**
 * The result of one of the model's tools as data. The built-in model works with it; other models read the text beside
 * it. Each tool fills in its part: search, grep and read `passages`, glob `files`, list `folders`, outline
 * `definitions`.
 */
export const ToolData = z.object({
  /** Lines exactly as the model sees them: secrets masked, long lines cut. */
  passages: z
    .array(z.object({ resource: z.string(), path: z.string(), startLine: z.int(), lines: z.array(z.string()) }))
    .default([]),
  files: z.array(z.object({ resource: z.string(), path: z.string() })).default([]),
  /** Of a search in all files of its resources: how many of their parts have each word, as a share; 0 if none has. */
  words: z.array(z.object({ word: z.string(), share: z.number() })).default([]),
  /** Of a search for the uses of a name: each line, and the definition around it. */
  uses: z
    .array(
      z.object({
        resource: z.string(),
        path: z.string(),
        line: z.int(),
        text: z.string(),
        use: z.enum(["calls", "uses", "imports"]),
        /** False in documents. */
        isCode: z.boolean(),
        around: z.string().optional(),
      }),
    )
    .default([]),
  /** Of an exact search without a match: what it did not look into, in words. */
  unsearched: z.array(z.string()).default([]),
  folders: z
    .array(
      z.object({
        resource: z.string(),
        /** Empty for the root. */
        path: z.string(),
        /** Only folders have a `fileCount`, which includes the files of their subfolders. */
        entries: z.array(z.object({ name: z.string(), fileCount: z.int().optional() })),
      }),
    )
    .default([]),
  /** `line` names the definition; `text` is that line. The depth of those at the top is 0. */
  definitions: z.array(z.object({ line: z.int(), endLine: z.int(), depth: z.int(), text: z.string() })).default([]),
});
export type ToolData = z.infer<typeof ToolData>;

/** The names of the resources, which other models read in the instructions. */
export const CallData = z.object({ resources: z.array(z.string()) });

/**
 * The key of both in the provider options of a tool's output and of a call. Providers ignore the options of others, and
 * the dot keeps it apart from every name that a user can give to a server.
 */
export const builtinKey = "citewell.builtin";
