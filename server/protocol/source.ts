import * as z from "zod";
import { LineRange } from "./citation.ts";
import { limits } from "./resource-fields.ts";

const ResourceRef = z
  .string()
  .min(1, "a resource must not be empty")
  .max(limits.pathLength)
  .describe("A configured name, an https git URL, a package (`npm:zod`), or the absolute path of a folder.");
const FilePath = z.string().max(limits.pathLength).describe("Relative to the resource's root, with forward slashes.");
const LineNumber = z.int().min(1).describe("1-based, inclusive.");

const Revision = z.string().max(512).describe("As in a citation. Default: the current revision.");

export const ReadRequest = z
  .object({
    resource: ResourceRef.optional().describe("Default: the open project, else the only resource."),
    path: FilePath.describe(
      "Relative to the resource's root, with forward slashes. Lines may follow: `src/a.ts:10-40,88-120`. Empty, with a " +
        "commit as the revision: its message and changes.",
    ),
    revision: Revision.optional(),
    startLine: LineNumber.optional(),
    endLine: LineNumber.optional(),
    around: LineNumber.optional().describe(
      "A line number: returns the whole innermost definition or section around it.",
    ),
  })
  .meta({ id: "ReadRequest" });
export type ReadRequest = z.infer<typeof ReadRequest>;

/** Lines of a file at a revision. */
export const SourceFile = z
  .object({
    resource: z.string(),
    path: z.string(),
    revision: z.string().describe("The revision that was read."),
    text: z.string().describe("The requested lines, else the whole file."),
    startLine: LineNumber,
    endLine: z.int().min(0).describe("0 for an empty file."),
    ranges: z
      .array(LineRange)
      .optional()
      .describe("If several ranges were requested: these, ascending; `text` is their lines, one after another."),
    definition: z.string().optional().describe("With `around`: the name of the definition or section, if it is one."),
    totalLines: z.int().nonnegative(),
    url: z.string().optional().describe("A permanent link to the lines, if the host has one."),
    pathOnDisk: z.string().optional().describe("The absolute path of a file in a folder or an installed package."),
    hasChanged: z
      .boolean()
      .optional()
      .describe("For a file in a folder or an installed package: whether it has changed or is gone."),
  })
  .meta({ id: "SourceFile" });
export type SourceFile = z.infer<typeof SourceFile>;

/** The path and the lines of `src/a.ts:10-40,88-120`, also of `src/a.ts#L10-L40`; without lines the path alone. */
export function splitPlace(place: string): { path: string; ranges: LineRange[] } {
  const { path, lines } = linesAtEnd.exec(place)?.groups ?? {};
  if (path === undefined || lines === undefined) return { path: place, ranges: [] };
  const ranges = lines.split(",").map((part) => {
    const [startLine = 0, endLine = startLine] = (part.match(/\d+/g) ?? []).map(Number);
    return { startLine, endLine };
  });
  return { path, ranges };
}

const linesAtEnd = /^(?<path>.+?)[:#](?<lines>L?\d{1,9}(?:\s*-\s*L?\d{1,9})?(?:,\s*L?\d{1,9}(?:\s*-\s*L?\d{1,9})?)*)$/;

/** Lines that were read from a file, with their ranges. */
export function partsOf({ text, ranges, startLine, endLine }: SourceFile): (LineRange & { lines: string[] })[] {
  const all = text.split(/\r?\n/);
  let next = 0;
  return (ranges ?? [{ startLine, endLine }]).map((range) => {
    const lines = all.slice(next, next + range.endLine - range.startLine + 1);
    next += lines.length;
    return { ...range, lines };
  });
}

export const ListFilesRequest = z
  .object({
    resource: ResourceRef,
    path: FilePath.default("").describe("A folder; empty for the root."),
    revision: Revision.optional(),
  })
  .meta({ id: "ListFilesRequest" });
export type ListFilesRequest = z.infer<typeof ListFilesRequest>;

export const FindFilesRequest = z
  .object({
    query: z.string().max(200).default("").describe("Letters of the path; those of its name come first."),
    exclude: z.array(z.string().min(1).max(1000)).max(500).default([]).describe("Globs of files to leave out."),
    limit: z.int().min(1).max(100).default(20),
  })
  .meta({ id: "FindFilesRequest" });
export type FindFilesRequest = z.infer<typeof FindFilesRequest>;

/** Files of the open projects, the best match first. */
export const FoundFiles = z
  .object({ files: z.array(z.object({ resource: z.string(), path: z.string(), pathOnDisk: z.string() })) })
  .meta({ id: "FoundFiles" });
export type FoundFiles = z.infer<typeof FoundFiles>;

/** The entries of a folder of a resource: folders first, each by name. */
export const FileListing = z
  .object({
    resource: z.string(),
    revision: z.string(),
    entries: z.array(
      z.object({ name: z.string(), type: z.enum(["file", "folder"]), sizeBytes: z.int().nonnegative().nullable() }),
    ),
  })
  .meta({ id: "FileListing" });
export type FileListing = z.infer<typeof FileListing>;
