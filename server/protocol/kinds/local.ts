import * as z from "zod";
import { isAbsolutePath, limits, specShape, textUpTo } from "../resource-fields.ts";
import { type FieldsOf, nameFromPath, type ResourceKind } from "./kind.ts";

export const LocalPath = textUpTo(limits.pathLength, `a path has at most ${limits.pathLength} characters`)
  .min(1, "a path must not be empty")
  .refine((path) => !path.includes("\0"), "a path must not contain a NUL character")
  .meta({ description: "The folder to read, as it is now.", pattern: "^[^\\u0000]*$" });

export const LocalResource = z
  .object({
    type: z.literal("local").describe("A folder of this computer, read as it is now."),
    ...specShape({
      path: LocalPath,
    }),
  })
  .meta({ id: "LocalResource" });
export type LocalResource = z.infer<typeof LocalResource>;

export interface LocalReference {
  type: "local";
  canonical: string;
  path: string;
}

export const localListing = { path: z.string().nullable() };

export const local: ResourceKind<LocalResource, LocalReference, FieldsOf<typeof localListing>> = {
  schema: LocalResource,
  sourceField: "path",
  isFetched: false,
  noun: "local folder",
  form: "a path",
  icon: "folder-library",
  snippet: { path: "${1:./folder}" },
  label: (l10n) => l10n.t("Local folder"),
  summary: (l10n) => l10n.t("Read in place, as it is now"),
  prompt: (l10n) => ({ prompt: l10n.t("The folder's path."), placeholder: "/path/to/folder" }),

  read: (text) => (isAbsolutePath(text) || /^(\.{1,2}|~)([/\\]|$)/.test(text) ? local.readAs(text) : undefined),
  readAs: (text) => ({ type: "local", canonical: text, path: text }),
  suggestName: ({ path }) => nameFromPath(path),
  toSpec: ({ path }, { name }) => ({ type: "local", name, path }),

  pathOf: ({ path }) => path,
  withPath: (spec, path) => ({ ...spec, path }),

  shortRevision: (revision) => revision,
  origin: ({ path }) => path ?? "",
  current: ({ path }, { shortPath }) => (path == null ? "" : shortPath(path)),
  facts: ({ path }, l10n) => [l10n.t("Folder: {0}", path ?? "")],
  absent: (l10n) => ({
    words: l10n.t("folder not found"),
    advice: l10n.t("The folder is not there. Change its path in the configuration, or remove the resource."),
  }),
};
