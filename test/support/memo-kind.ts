/**
 * A kind of resource as a contributor would add it (docs/development/adding-a-resource.md): a memo whose text is its
 * reference, with a snapshot in memory. New files are complete; existing tables are edited by text replacements.
 */
export const memoKind: Readonly<Record<string, string | readonly (readonly [before: string, after: string])[]>> = {
  "server/protocol/kinds/names.ts": [['"git", "local",', '"git", "local", "memo",']],
  "server/protocol/kinds/memo.ts": `import * as z from "zod";
import { specShape } from "../resource-fields.ts";
import type { FieldsOf, ResourceKind } from "./kind.ts";

export const MemoResource = z
  .object({ type: z.literal("memo").describe("A short text."), ...specShape({ memo: z.string().min(1) }) })
  .meta({ id: "MemoResource" });
export type MemoResource = z.infer<typeof MemoResource>;

export interface MemoReference {
  type: "memo";
  canonical: string;
  memo: string;
}

export const memoListing = { memo: z.string().nullable() };

export const memo: ResourceKind<MemoResource, MemoReference, FieldsOf<typeof memoListing>> = {
  schema: MemoResource,
  sourceField: "memo",
  isFetched: false,
  noun: "memo",
  form: "memo:<text>",
  icon: "note",
  snippet: { memo: "\${1:text}" },
  label: (l10n) => l10n.t("Memo"),
  summary: (l10n) => l10n.t("A text that you type"),
  prompt: (l10n) => ({ prompt: l10n.t("The text."), placeholder: "otters sleep afloat" }),
  read: (text) => (text.startsWith("memo:") ? memo.readAs(text) : undefined),
  readAs: (text) => ({ type: "memo", canonical: text, memo: text.replace("memo:", "").replaceAll("-", " ") }),
  suggestName: () => "memo",
  toSpec: (reference, { name }) => ({ type: "memo", name, memo: reference.memo }),
  shortRevision: (revision) => revision,
  origin: (fields) => fields.memo ?? "",
  current: (fields) => fields.memo ?? "",
  facts: (fields, l10n) => [l10n.t("Text: {0}", fields.memo ?? "")],
  absent: (l10n) => ({ words: l10n.t("empty"), advice: l10n.t("Write a text.") }),
};
`,
  "server/protocol/kinds/kinds.ts": [
    [
      "import { kindNames, servedKinds }",
      'import { memo, memoListing, type MemoReference, MemoResource } from "./memo.ts";\nimport { kindNames, servedKinds }',
    ],
    ["LocalResource, ...", "LocalResource, MemoResource, ..."],
    ["| LocalReference", "| LocalReference | MemoReference"],
    ["...localListing,", "...localListing, ...memoListing,"],
    ["{ git, local,", "{ git, local, memo,"],
  ],
  "server/resources/memo/memo-kind.ts": `import type { MemoReference, MemoResource } from "../../protocol/kinds/memo.ts";
import { type KindSource, namedTarget } from "../kind-source.ts";
import type { Snapshot } from "../snapshot.ts";
import { decodeFile } from "../tree-reader.ts";

export function openMemoKind(): KindSource<MemoResource, MemoReference> {
  return {
    open: async (target) => openMemo(target),
    openStored: async (target) => openMemo(target),
    refresh: async () => {},
    describe: async () => ({
      state: "ready",
      revision: "memo",
      fetchedAt: null,
      sizeBytes: null,
      fileCount: 1,
      failure: null,
    }),
  };
}

function openMemo(target: MemoResource | MemoReference): Snapshot {
  const { name, notes } = namedTarget(target);
  const bytes = Buffer.from(target.memo);
  return {
    resource: name,
    revision: "memo",
    notes,
    info: { resource: name, type: "memo", revision: "memo", label: "memo", fetchedAt: null, fileCount: 1, skippedCount: 0 },
    files: [{ path: "memo.md", sizeBytes: bytes.length }],
    skipped: [],
    read: async (path) => decodeFile(path, bytes),
    stampOf: () => undefined,
    permalink: () => undefined,
    pathOnDisk: () => undefined,
    [Symbol.asyncDispose]: async () => {},
  };
}
`,
  "server/resources/kinds.ts": [
    ["import { openPackageKind }", 'import { openMemoKind } from "./memo/memo-kind.ts";\nimport { openPackageKind }'],
    ["  return openPackageKind(", '  if (type === "memo") return openMemoKind();\n  return openPackageKind('],
  ],
};
