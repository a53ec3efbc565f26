import * as z from "zod";
import {
  controls,
  fetchedShape,
  isAbsolutePath,
  limits,
  textUpTo,
  unstorable,
  withoutControls,
} from "../resource-fields.ts";
import { gitUrlFault } from "./git-url.ts";

const branchPattern = /^[a-zA-Z0-9/_.-]+$/;
/** The part of `gitUrlFault` that a pattern can express: another scheme, credentials, no host, no path. */
const gitUrlPattern = `^[Hh][Tt][Tt][Pp][Ss]://[^/?#@\\s${controls}]+/[^?#\\s${controls}][^\\s${controls}]*$`;

export const Branch = textUpTo(limits.branchLength, `a branch has at most ${limits.branchLength} characters`)
  .regex(branchPattern, "a branch holds letters, digits, '/', '_', '.' and '-' only")
  .refine((branch) => !branch.startsWith("-"), "a branch must not start with '-'")
  .meta({
    description: "The branch, tag or full commit id to read.",
    pattern: `^(?!-)${branchPattern.source.slice(1)}`,
  });

export const SearchPath = textUpTo(
  limits.searchPathLength,
  `a search path has at most ${limits.searchPathLength} characters`,
)
  .min(1, "a search path must not be empty")
  .refine((path) => !path.includes(".."), "a search path must not contain '..'")
  .refine((path) => !isAbsolutePath(path), "a search path is relative to the repository's root")
  .refine((path) => !unstorable.test(path), "a search path must not contain control characters or unpaired surrogates")
  .meta({
    description: "A folder or file below the repository's root; nothing else is read.",
    pattern: `^(?!.*\\.\\.)(?![/\\\\]|[a-zA-Z]:)${withoutControls.slice(1)}`,
  });

/** HTTPS, no credentials, no port below the scheme's rules; whether the address is allowed is decided when it is resolved. */
export const GitUrl = textUpTo(limits.urlLength, `a URL has at most ${limits.urlLength} characters`)
  .superRefine((url, context) => {
    const reason = gitUrlFault(url);
    if (reason !== undefined) context.addIssue({ code: "custom", message: reason });
  })
  .meta({ description: "The repository's HTTPS URL, without credentials.", pattern: gitUrlPattern });

export const GitResource = z
  .object({
    type: z.literal("git").describe("A git repository, read over HTTPS."),
    ...fetchedShape({
      url: GitUrl,
      branch: Branch.default("main"),
      searchPath: SearchPath.nullish(),
      searchPaths: z
        .array(SearchPath)
        .nullish()
        .describe("Folders and files below the repository's root; nothing else is read."),
    }),
  })
  .meta({ id: "GitResource" });
export type GitResource = z.infer<typeof GitResource>;

/** The two ways a git resource names its search paths, as one list without repetitions or trailing slashes. */
export function searchPathsOf(spec: {
  searchPath?: string | null | undefined;
  searchPaths?: readonly string[] | null | undefined;
}): string[] {
  const paths = [...(spec.searchPath ? [spec.searchPath] : []), ...(spec.searchPaths ?? [])];
  return [...new Set(paths.map((path) => path.replace(/^(\.\/)+|\/+$/g, "")))].filter(
    (path) => path !== "" && path !== ".",
  );
}
