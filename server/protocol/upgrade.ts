import * as z from "zod";
import { CitedPlace, citedPlaceMarkdown, inlineCode, markerOf } from "./cited-place.ts";
import { showInvisibleInLine } from "./invisible.ts";
import { packageTypes } from "./kinds/names.ts";
import { limits } from "./resource-fields.ts";

export const UpgradeRequest = z
  .object({
    package: z
      .string()
      .min(1)
      .max(limits.packageLength)
      .describe("A dependency of the open project, as its manifest names it: `zod`; or with its type: `npm:zod`."),
    to: z
      .string()
      .min(1)
      .max(limits.packageLength + limits.versionLength)
      .optional()
      .describe(
        "The wanted version, a range or a tag; or the package that replaces it: `org.demo:other@5`. Default: the newest.",
      ),
    changelog: z
      .string()
      .min(1)
      .max(limits.urlLength)
      .optional()
      .describe("A repository or folder whose changelog is read, too: many packages do not contain theirs."),
    limit: z.int().min(1).max(500).default(100).describe("The number of findings."),
  })
  .meta({ id: "UpgradeRequest" });
export type UpgradeRequest = z.infer<typeof UpgradeRequest>;

/**
 * - `removed`: the old version declares the name, the new one does not.
 * - `deprecated`: the new version says so beside the declaration, the old one does not.
 * - `changed`: the parameters are others, or of Go the results.
 * - `requires`: the new version asks for another runtime, or can be loaded in another way only.
 * - `noted`: the declaration is the same; the changelog names it.
 */
export const UpgradeChange = z.enum(["removed", "changed", "requires", "deprecated", "noted"]);
export type UpgradeChange = z.infer<typeof UpgradeChange>;

/** How sure it is that the project is touched: the name is of the package for certain, likely, or by its spelling alone. */
export const Certainty = z.enum(["certain", "likely", "possible"]);
export type Certainty = z.infer<typeof Certainty>;

const Finding = z
  .object({
    name: z.string().describe("As the project writes it: `z.string`, `validator`."),
    change: UpgradeChange,
    certainty: Certainty,
    uses: z.array(CitedPlace).describe("Lines of the project, the first ones."),
    useCount: z.int().min(0),
    before: CitedPlace.optional().describe("In the version in use."),
    after: CitedPlace.optional().describe("In the wanted version."),
    notes: z.array(CitedPlace).describe("Lines of the changelog that name it."),
  })
  .meta({ id: "UpgradeFinding" });
export type UpgradeFinding = z.infer<typeof Finding>;

const Version = z.object({
  resource: z.string().describe("What opens it: `npm:zod@3.22.4`."),
  version: z.string(),
  label: z.string().describe("With where it is from."),
});

export const UpgradeReport = z
  .object({
    type: z.enum(packageTypes),
    package: z.string(),
    from: Version,
    to: Version.extend({ package: z.string().optional().describe("Where it is another package.") }),
    elsewhere: z
      .string()
      .optional()
      .describe(
        "Where the package goes on, as its registry says, in sentences: a major version with a name of its own.",
      ),
    findings: z.array(Finding).describe("The most certain first."),
    total: z.int().min(0).describe("Findings, shown or not."),
    usedNames: z.int().min(0).describe("Names of the package that the project uses."),
    files: z.int().min(0).describe("Files of the project that use the package."),
    sections: z.array(CitedPlace).describe("The headings of the changelog between the two versions, the newest first."),
    notes: z.array(z.string()).describe("What this report cannot see, in words."),
  })
  .meta({ id: "UpgradeReport" });
export type UpgradeReport = z.infer<typeof UpgradeReport>;

export const changeWords = {
  removed: "removed",
  changed: "other parameters or results",
  requires: "required",
  deprecated: "deprecated",
  noted: "in the changelog",
} as const satisfies Record<UpgradeChange, string>;

/** `zod 3.0.0 → 4.0.0`; another package by its name. */
export function versionsOf({ package: name, from, to }: Pick<UpgradeReport, "package" | "from" | "to">): string {
  return `${name} ${from.version} → ${to.package === undefined ? "" : `${to.package} `}${to.version}`;
}

/** How much there is to do, in a sentence, and where the package goes on. */
export function summarizeUpgrade(report: UpgradeReport): string {
  return [amountOf(report), ...(report.elsewhere === undefined ? [] : [showInvisibleInLine(report.elsewhere)])].join(
    " ",
  );
}

function amountOf({ package: name, from, to, findings, total, usedNames, files }: UpgradeReport): string {
  const versions = versionsOf({ package: name, from, to });
  if (files === 0) return `${versions}: no file of the project imports it.`;
  const used = `${usedNames} ${usedNames === 1 ? "name" : "names"} in ${files} ${files === 1 ? "file" : "files"}`;
  if (total === 0) return `${versions}: nothing found that changes for the ${used} that use it.`;
  const certain = findings.filter(({ certainty }) => certainty === "certain").length;
  const sure = certain === 0 ? "" : `, ${certain} of them certain`;
  return `${versions}: ${total} ${total === 1 ? "finding" : "findings"}${sure}, for ${used} that use it.`;
}

/** The limit of what a model reads of a report, in characters: about 2,000 tokens. */
const readByModels = 8000;

/** For models: the most certain findings, each place under the marker to cite it by. */
export function showUpgrade(report: UpgradeReport): { text: string; shown: UpgradeFinding[] } {
  const shown: UpgradeFinding[] = [];
  const blocks: string[] = [];
  let length = 0;
  for (const finding of report.findings) {
    const block = showFinding(finding);
    length += block.length;
    if (length > readByModels) break;
    blocks.push(block);
    shown.push(finding);
  }
  const left = report.total - shown.length;
  const rest = left > 0 ? [`Note: ${left} less certain findings are not shown.`] : [];
  const unseen = report.notes.length === 0 ? [] : [`Note: not seen: ${report.notes.join("; ")}.`];
  return { text: [summarizeUpgrade(report), ...blocks, ...rest, ...unseen].join("\n\n"), shown };
}

function showFinding({ name, change, certainty, uses, useCount, before, after, notes }: UpgradeFinding): string {
  const more = useCount > uses.length ? [`(${useCount - uses.length} more lines)`] : [];
  return [
    `${showInvisibleInLine(name)}: ${changeWords[change]}, ${certainty}`,
    ...uses.map((place) => showPlace("yours", place)),
    ...more,
    ...(before === undefined ? [] : [showPlace("before", before)]),
    ...(after === undefined ? [] : [showPlace("after", after)]),
    ...notes.map((place) => showPlace("changelog", place)),
  ].join("\n");
}

function showPlace(label: string, place: CitedPlace): string {
  return `  ${label} ${markerOf(place)} | ${showInvisibleInLine(place.text.trim())}`;
}

/** For issues and pull requests: each place is a citation that `citewell verify` checks. */
export function upgradeMarkdown(report: UpgradeReport): string {
  const { findings, total, sections, notes } = report;
  return [
    `# ${versionsOf(report)}`,
    summarizeUpgrade(report),
    ...findings.map(findingMarkdown),
    ...(total > findings.length ? [`${total - findings.length} more findings are not shown.`] : []),
    ...(sections.length === 0
      ? []
      : [
          "## Changelog between the versions",
          sections.map((section) => `- ${citedPlaceMarkdown(section)}`).join("\n"),
        ]),
    ...(notes.length === 0 ? [] : ["## Not seen", notes.map((note) => `- ${note}`).join("\n")]),
    "",
  ].join("\n\n");
}

function findingMarkdown({ name, change, certainty, uses, useCount, before, after, notes }: UpgradeFinding): string {
  const more = useCount > uses.length ? [`- and ${useCount - uses.length} more lines`] : [];
  return [
    `## \`${inlineCode(name)}\`: ${changeWords[change]} (${certainty})`,
    "",
    ...uses.map((use) => `- yours: ${citedPlaceMarkdown(use)}`),
    ...more,
    ...(before === undefined ? [] : [`- before: ${citedPlaceMarkdown(before)}`]),
    ...(after === undefined ? [] : [`- after: ${citedPlaceMarkdown(after)}`]),
    ...notes.map((note) => `- changelog: ${citedPlaceMarkdown(note)}`),
  ].join("\n");
}
