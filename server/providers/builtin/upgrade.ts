import { type CitedPlace, citedPlaceMarkdown, inlineCode } from "../../protocol/cited-place.ts";
import { changeWords, summarizeUpgrade, type UpgradeFinding, type UpgradeReport } from "../../protocol/upgrade.ts";
import { upgradeAsked } from "../../source/upgrade-question.ts";
import { type Conversation, isResultOf, type Looking, lookUp } from "./look.ts";

/** How many findings an answer lists; the command lists them all. */
const shownFindings = 12;
const shownUses = 2;

/** Compares the versions, if the question is for what an upgrade breaks; else undefined, or the reason why there is no report. */
export function* lookForUpgrade(
  conversation: Conversation,
): Looking<{ report?: UpgradeReport; reason?: string } | undefined> {
  const asked = upgradeAsked(conversation.question);
  if (asked === undefined) return undefined;
  const { package: name, to } = asked;
  const call = { tool: "upgrade", input: { package: name, ...(to === undefined ? {} : { to }) } } as const;
  yield* lookUp(conversation, `Comparing the versions of ${name}.`, [call]);
  const { upgrade: report, refusal } = conversation.results.find((result) => isResultOf(call, result)) ?? {};
  if (report !== undefined) return { report };
  return refusal === undefined ? undefined : { reason: refusal.replace(/\n[^]*$/, "") };
}

/** Writes each finding with its places. */
export function* writeUpgrade(report: UpgradeReport): Generator<string> {
  const { findings, total, notes } = report;
  yield `${summarizeUpgrade(report)}\n`;
  for (const finding of findings.slice(0, shownFindings)) yield* writeFinding(finding);
  const left = total - Math.min(total, shownFindings);
  if (left > 0) yield `\n${left} less certain ${left === 1 ? "finding is" : "findings are"} not shown.\n`;
  yield `\nNot seen: ${notes.join("; ")}.\n`;
}

function* writeFinding({ name, change, certainty, uses, useCount, before, after, notes }: UpgradeFinding) {
  yield `\n**\`${inlineCode(name)}\`**: ${changeWords[change]}, ${certainty}\n\n`;
  for (const use of uses.slice(0, shownUses)) yield item("yours", use);
  const left = useCount - Math.min(uses.length, shownUses);
  if (left > 0) yield `- and ${left} more ${left === 1 ? "line" : "lines"} of yours\n`;
  if (before !== undefined) yield item("before", before);
  if (after !== undefined) yield item("after", after);
  for (const place of notes) yield item("changelog", place);
}

function item(label: string, place: CitedPlace): string {
  return `- ${label}: ${citedPlaceMarkdown(place)}\n`;
}
