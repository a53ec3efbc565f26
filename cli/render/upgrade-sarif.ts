import type { CitedPlace } from "../../server/protocol/cited-place.ts";
import {
  type Certainty,
  changeWords,
  type UpgradeChange,
  UpgradeChange as Changes,
  type UpgradeFinding,
  type UpgradeReport,
  versionsOf,
} from "../../server/protocol/upgrade.ts";
import { renderSarif, type SarifPlace, type SarifResult, type SarifRule } from "./sarif.ts";

const ruleTexts: Record<UpgradeChange, string> = {
  removed: "The wanted version no longer has what the line uses.",
  changed: "What the line uses takes other parameters or returns something else in the wanted version.",
  requires: "The wanted version requires another runtime, or is loaded in another way.",
  deprecated: "What the line uses is deprecated in the wanted version.",
  noted: "The changelog says of what the line uses that it breaks.",
};

const levels = { certain: "error", likely: "warning", possible: "note" } as const satisfies Record<Certainty, string>;

/** A result for each line of the project; the declarations and the lines of the changelog are related to it. */
export function renderUpgradeSarif(report: UpgradeReport, { version }: { version: string }): string {
  const { type, package: name, from, to, findings, notes } = report;
  const rules = Changes.options.map((change): SarifRule => ({
    id: ruleOf(change),
    text: ruleTexts[change],
    level: "warning",
  }));
  const places = findings.flatMap((finding) => [...finding.uses, ...relatedTo(finding).map(({ place }) => place)]);
  const bases = new Map(places.map(({ resource }) => [resource, `What Citewell names ${resource}.`]));
  for (const { resource, label } of [from, to]) bases.set(resource, label);
  return renderSarif({
    version,
    category: `citewell-upgrade/${type}:${name}`,
    rules,
    results: findings.flatMap((finding) => resultsOf(finding, report)),
    notifications: notes.map((note) => ({ level: "note", message: `Not seen: ${note}.` })),
    bases,
  });
}

function resultsOf(finding: UpgradeFinding, report: UpgradeReport): SarifResult[] {
  const { type, package: name } = report;
  const { name: used, change, certainty, uses, useCount } = finding;
  const rest = useCount - uses.length;
  const more = rest === 0 ? "" : ` ${rest} more ${rest === 1 ? "line uses" : "lines use"} it.`;
  const message = `${used}: ${changeWords[change]} (${certainty}), ${versionsOf(report)}.${more}`;
  const related = relatedTo(finding).map(({ what, place }) => ({
    ...placeOf(place),
    message: `${what}: ${place.text.trim()}`,
  }));
  const places = uses.length === 0 ? [undefined] : uses;
  return places.map((use) => ({
    rule: ruleOf(change),
    level: levels[certainty],
    message,
    place: use && placeOf(use),
    related,
    fingerprint: JSON.stringify([type, name, used, change, use?.resource, use?.path, use?.text]),
  }));
}

function relatedTo({ before, after, notes }: UpgradeFinding): { what: string; place: CitedPlace }[] {
  return [
    ...(before === undefined ? [] : [{ what: "before", place: before }]),
    ...(after === undefined ? [] : [{ what: "after", place: after }]),
    ...notes.map((place) => ({ what: "changelog", place })),
  ];
}

function placeOf({ resource, path, startLine, endLine }: CitedPlace): SarifPlace {
  return { file: path, base: resource, startLine, endLine };
}

function ruleOf(change: UpgradeChange): string {
  return `upgrade-${change}`;
}
