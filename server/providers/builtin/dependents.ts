import { formatMarker } from "../../protocol/passage.ts";
import { dependentSearches, dependentsIn } from "../../source/dependents.ts";
import { isAside } from "../../source/test-path.ts";
import type { Named } from "../../source/dependencies.ts";
import { callsFor, statedTo } from "./versions.ts";
import { type Call, type Conversation, isResultOf, type Looking, lookUp, readLines } from "./look.ts";

const linesAround = 20;
/** Between a dependency and the name of its entry: `poetry.lock` lists all files there. */
const linesAbove = 300;
const entriesRead = 6;
const dependentsShown = 10;
/** Of what is installed, the packages whose own place in a manifest is looked up. */
const ownersCited = 4;

/** Looks up what depends on a package: in lock files, and in the metadata of what is installed. */
export function* lookForDependents(conversation: Conversation, name: string): Looking<void> {
  const thought = `Looking up what depends on ${name}.`;
  yield* lookUp(conversation, thought, [...searches(name), askInstalled(name)]);
  const torn = statedIn(conversation, name).filter(({ owner }) => owner === undefined);
  const reads = torn.slice(0, entriesRead).map(({ resource, path, line }) => {
    const first = Math.max(1, line - linesAbove);
    return readLines({ resource, path }, first, line - first + 1);
  });
  const owners = installedIn(conversation, name).flatMap(({ by }) => by.slice(0, ownersCited));
  const cited = owners.flatMap((one) => callsFor(shortName(one.name)));
  yield* lookUp(conversation, thought, [
    ...reads,
    ...(torn.length === 0 && !isStated(conversation, name) ? cited : []),
  ]);
}

function isStated(conversation: Conversation, name: string): boolean {
  return statedIn(conversation, name).length > 0;
}

/** The artifact of `group:artifact`, the whole of other names. */
function shortName(name: string): Named {
  return { name: name.replace(/^.*:/, ""), as: "whole" };
}

/** Writes what depends on a package; nothing if neither a lock file nor what is installed says so. */
export function* writeDependents(conversation: Conversation, name: string): Generator<string> {
  const stated = statedIn(conversation, name).filter(({ owner }) => owner !== undefined);
  const [first] = stated;
  if (first !== undefined) {
    const own = stated.filter((one) => one.path === first.path && one.resource === first.resource);
    const once = [...new Map(own.map((one) => [one.owner, one])).values()];
    const shown = once
      .slice(0, dependentsShown)
      .map(({ owner, ...at }) => `\`${owner || "the project"}\` ${markerOf(at)}`);
    const more = once.length > shown.length ? `, and ${once.length - shown.length} more` : "";
    yield `\nIn \`${first.path}\`, ${once.length === 1 ? "this depends" : "these depend"} on it: ${shown.join(", ")}${more}.\n`;
    return;
  }
  for (const { name: full, by } of installedIn(conversation, name)) {
    const shown = by.slice(0, dependentsShown).map(({ name: owner, version, wanted, file }) => {
      const requirement = wanted === undefined ? "" : `\`${wanted}\` `;
      const [own] = version === undefined ? [] : statedTo(shortName(owner), conversation.results);
      const place = own === undefined ? "" : ` ${formatMarker(own)}`;
      return `- \`${owner}\`${version === undefined ? "" : ` ${version}`}${place}: ${requirement}in ${file}\n`;
    });
    if (by.length === 0) continue;
    const more = by.length > shown.length ? `- and ${by.length - shown.length} more\n` : "";
    yield `\nBy what is installed, ${by.length === 1 ? "this depends" : "these depend"} on \`${full}\`:\n\n${shown.join("")}${more}`;
  }
}

/** The version that is installed, if the question's package is. */
export function installedVersion(conversation: Conversation, name: string): string | undefined {
  return installedIn(conversation, name)[0]?.version;
}

/** Looks up what is installed. */
export function* lookForInstalled(conversation: Conversation, name: string): Looking<void> {
  yield* lookUp(conversation, `Looking up what is installed of ${name}.`, [askInstalled(name)]);
}

/** Writes the version of what is installed, where no file of the resources has it; nothing if it is not installed. */
export function* writeInstalled(conversation: Conversation, name: string): Generator<string> {
  for (const { name: full, version, origin } of installedIn(conversation, name)) {
    yield `The project uses \`${full}\` \`${version}\` (${origin}).\n`;
  }
}

function installedIn({ results }: Conversation, name: string) {
  return results.filter((result) => isResultOf(askInstalled(name), result)).flatMap(({ dependents }) => dependents);
}

function askInstalled(name: string): Call {
  return { tool: "dependents", input: { name } };
}

function searches(name: string): Call[] {
  return dependentSearches(name).map((search) => {
    const input = { ...search, regex: true, ignoreCase: true, limit: 100, contextLines: linesAround };
    return { tool: "grep", input };
  });
}

/** Those of a file near to the root first; one whose entry was read later has its owner. */
function statedIn({ results }: Conversation, name: string) {
  const isOwn = ({ tool }: { tool: string }) => tool === "grep" || tool === "read";
  const passages = results.filter(isOwn).flatMap((result) => result.passages);
  const found = passages.flatMap(({ resource, path, startLine, lines }) =>
    dependentsIn({ path, startLine, lines }, name).map((one) => ({ ...one, resource, path })),
  );
  const byLine = new Map<string, (typeof found)[number]>();
  for (const one of found) {
    const key = `${one.resource}:${one.path}:${one.line}`;
    if (byLine.get(key)?.owner === undefined) byLine.set(key, one);
  }
  const depth = (path: string) => path.split("/").length + (isAside(path) ? 100 : 0);
  return [...byLine.values()].toSorted(
    (a, b) => depth(a.path) - depth(b.path) || (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line),
  );
}

function markerOf({ resource, path, line }: { resource: string; path: string; line: number }): string {
  return formatMarker({ resource, path, startLine: line, endLine: line });
}
