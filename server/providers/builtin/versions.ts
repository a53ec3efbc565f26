import { compareNumbers } from "../../lib/compare-numbers.ts";
import { shorten } from "../../protocol/shorten.ts";
import { formatMarker } from "../../protocol/passage.ts";
import { searchesFor, type Named, type StatedVersion, statedIn, variableIn } from "../../source/dependencies.ts";
import { languageOf } from "../../source/languages.ts";
import { ownName } from "../../source/manifest.ts";
import { type Call, type Conversation, isResultOf, type Looking, lookUp, type ToolResult } from "./look.ts";
import { reportUnsearched } from "./known-words.ts";
import { isAside } from "../../source/test-path.ts";
import type { VersionQuestion } from "./version-question.ts";

/** Looks for the lines with the name, then those with longer names, then the value of a variable. */
export function* lookForVersions(conversation: Conversation, asked: VersionQuestion): Looking<void> {
  const { results } = conversation;
  const thought = `Looking up the version of ${shownName(asked.name)}.`;
  for (const named of roundsOf(asked)) {
    yield* lookUp(conversation, thought, callsFor(named));
    if (foundVersions(results, asked).length > 0) break;
  }
  const variables = foundVersions(results, asked).flatMap(({ version }) => variableIn(version) ?? []);
  yield* lookUp(conversation, thought, variables.slice(0, namesShown).flatMap(callsFor));
}

/** Versions of longer names are only looked for if the question can be about nothing else. */
function roundsOf({ name, isCertain }: VersionQuestion): Named[] {
  return [{ name, as: "whole" }, ...(isCertain ? [{ name, as: "part" } as const] : [])];
}

/** The calls that find where files state the version of a name. */
export function callsFor(named: Named): Call[] {
  return searchesFor(named).map((search) => {
    return { tool: "grep", input: { ...search, regex: true, ignoreCase: true, limit: 200 } };
  });
}

/**
 * Writes which version is installed or allowed, or which longer names there are; nothing if no file states one. Of
 * several locked versions, the one that is installed counts.
 */
export function* writeVersions(
  { results, resources }: Conversation,
  asked: VersionQuestion,
  installed: string | undefined,
): Generator<string> {
  const all = foundVersions(results, asked);
  for (const resource of resources) {
    const found = all.filter((one) => one.resource === resource);
    const names = [...new Map(found.map((one) => [one.name, one])).values()];
    if (found[0]?.rank === 2) {
      yield `No dependency has the name ${shownName(asked.name)}. These have it as a part:\n\n`;
      for (const one of names.slice(0, namesShown)) yield `- \`${one.name}\` ${written(one)} ${markerOf(one)}\n`;
      continue;
    }
    const allowed = found.filter((one) => !one.isLocked);
    const [first, ...others] = [
      ...preferred(
        found.filter((one) => one.isLocked),
        { allowed: allowed[0], installed },
      ),
      ...allowed,
    ];
    if (first === undefined) continue;
    // A pom states one for the compiler and another for what is released.
    const next =
      asked.isLanguage && found.find((one) => one.path === first.path && one.startLine === first.endLine + 1);
    const best = next ? { ...first, endLine: next.endLine, text: `${first.text}\n${next.text}` } : first;
    const variable = variableIn(best.version);
    const value = variable === undefined ? undefined : statedTo(variable, results)[0];
    const cited = [best, ...(value === undefined ? [] : [value])].map(markerOf).join(", ");
    const verb = best.isLocked || asked.name === "this" ? "has" : "requires";
    yield `\`${best.path}\` ${verb} ${shownName(best.name === "" ? asked.name : best.name)} ${written(value ?? best)}: ${cited}\n`;
    if (best.text.length < textShown) yield `\n\`\`\`${languageOf(best.path).tag}\n${best.text}\n\`\`\`\n`;
    if (installed !== undefined && best.isLocked && isOther(installed, best))
      yield `\nInstalled is \`${installed}\`, not the version of \`${best.path}\`.\n`;
    const requirement = best.isLocked ? allowed.find(({ version }) => version !== "") : undefined;
    if (requirement !== undefined)
      yield `\n\`${requirement.path}\` requires \`${requirement.version}\`: ${markerOf(requirement)}\n`;
    const copies = [...new Map(others.map((one) => [one.version, one])).values()];
    const rest = copies.filter(
      ({ version, isLocked }) =>
        version !== "" && variableIn(version) === undefined && isLocked === best.isLocked && version !== best.version,
    );
    if (rest.length > 0 && asked.name !== "this")
      yield `\nAlso: ${rest
        .slice(0, namesShown)
        .map((one) => `${written(one)} ${markerOf(one)}`)
        .join(", ")}\n`;
    if (!best.isLocked && !asked.isLanguage && /^[\^~<>*]|^$|\*/.test(best.version))
      yield "\nNo lock file says which version is installed.\n";
  }
}

/** Says that no manifest has the name, if the question can only be about a dependency. */
export function reportNoDependency({ resources, results }: Conversation, asked: VersionQuestion): string[] {
  if (!asked.isCertain) return [];
  const missing = `No manifest and no lock file in ${resources.join(", ")} names ${shownName(asked.name)}.`;
  return [`${[missing, ...reportUnsearched(results)].join(" ")}\n`];
}

const namesShown = 8;
/** A minified manifest has all on one line. */
const textShown = 500;

interface Found extends StatedVersion {
  resource: string;
  path: string;
  /** 0 if the name is the same, 1 if it is without a group or scope, 2 if it is only a part. */
  rank: number;
}

/** Those of the nearest name, in files of the project itself and near to its root first. */
function foundVersions(results: readonly ToolResult[], asked: VersionQuestion): Found[] {
  const spelt = (text: string) => text.toLowerCase().replaceAll(/[\s._-]+/g, "");
  const rank = ({ name }: StatedVersion) => {
    if (name === "" || spelt(name) === spelt(asked.name)) return 0;
    return !asked.isLanguage && spelt(name.replace(/^(?!@types\/).*[/:]/, "")) === spelt(asked.name) ? 1 : 2;
  };
  const rounds = roundsOf(asked).map((named) => statedTo(named, results).map((one) => ({ ...one, rank: rank(one) })));
  const all = rounds.find((some) => some.some((one) => one.rank < 2)) ?? rounds.flat();
  const sorted = all
    .filter((one) => one.rank < 2 || asked.isCertain)
    .toSorted(
      (a, b) =>
        a.rank - b.rank ||
        Number(isAside(a.path)) - Number(isAside(b.path)) ||
        depthOf(a.path) - depthOf(b.path) ||
        // Of the packages of a workspace, the one with the project's name.
        Number(isNamesake(b)) - Number(isNamesake(a)) ||
        Number(a.version === "") - Number(b.version === "") ||
        a.name.length - b.name.length ||
        (a.path !== b.path
          ? 0
          : // A build may name newer standards as well; it needs the oldest.
            asked.isLanguage
            ? compareNumbers(numbersIn(a.version), numbersIn(b.version))
            : a.text.length - b.text.length),
    );
  return sorted.filter((one) => one.rank === 2 || spelt(one.name) === spelt(sorted[0]?.name ?? ""));
}

/** What files state of a name, by the results of these calls. */
export function statedTo(named: Named, results: readonly ToolResult[]) {
  const calls = callsFor(named);
  return results
    .filter((result) => calls.some((call) => isResultOf(call, result)))
    .flatMap(({ passages }) => passages)
    .flatMap((passage) =>
      statedIn(passage, named).map((one) => ({ ...one, resource: passage.resource, path: passage.path })),
    );
}

/** The installed version comes first, then copies of the major version that a manifest allows. */
function preferred(
  locked: readonly Found[],
  { allowed, installed }: { allowed: Found | undefined; installed: string | undefined },
): Found[] {
  const majorOf = (version: string) => /\d+/.exec(version)?.[0];
  const isOf = ({ version }: Found) => allowed !== undefined && majorOf(version) === majorOf(allowed.version);
  const first = locked.filter(({ path }) => path === locked[0]?.path);
  const isInstalled = ({ version }: Found) => version === installed;
  return first.toSorted((a, b) => Number(isInstalled(b)) - Number(isInstalled(a)) || Number(isOf(b)) - Number(isOf(a)));
}

/** Whether an installed version is another one than that of a lock file, which may have a prefix or a build's name. */
function isOther(installed: string, { version, path }: Found): boolean {
  return !/^(?:go\.mod|pnpm-lock\.yaml)$/.test(path) && /^\d/.test(version) && installed !== version;
}

function numbersIn(version: string): number[] {
  return (version.match(/\d+/g) ?? []).map(Number);
}

function isNamesake({ resource, path }: Found): boolean {
  return path.toLowerCase().split("/").at(-2) === ownName(resource);
}

function depthOf(path: string): number {
  return path.split("/").length;
}

function written({ version }: Pick<Found, "version">): string {
  return version === "" ? "in any version" : `\`${version}\``;
}

function markerOf({ resource, path, startLine, endLine }: Omit<Found, "rank">): string {
  return formatMarker({ resource, path, startLine, endLine });
}

function shownName(name: string): string {
  return name === "this" ? "the project" : `\`${shorten(name, 60)}\``;
}
