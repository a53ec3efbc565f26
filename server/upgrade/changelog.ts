import { classOf } from "../retrieval/file-class.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import { type Section, findSections } from "../source/sections.ts";
import { isAlike } from "./alike.ts";
import { compareReleases, numbersOf } from "./version-numbers.ts";

/** A section of a changelog that is between two versions. Lines are 1-based. */
export interface VersionSection {
  path: string;
  line: number;
  text: string;
}

/** An item of such a section. */
export interface ChangelogEntry extends VersionSection {
  endLine: number;
  /** The whole item, in one line. */
  whole: string;
  /** The texts of which one must say that something breaks: its own, or of a paragraph its sentences. */
  parts: readonly string[];
  /** The headings and the items above it that say that something breaks. */
  below: readonly string[];
}

export interface ChangelogPart {
  sections: VersionSection[];
  entries: ChangelogEntry[];
}

export type InSnapshot<T> = T & { snapshot: Snapshot };

/** The sections of the changelogs of snapshots that are between two versions, and the items of these. */
export async function readChangelogs(
  snapshots: readonly Snapshot[],
  versions: { from: string; to: string },
  { signal }: { signal: AbortSignal },
): Promise<{ entries: InSnapshot<ChangelogEntry>[]; sections: InSnapshot<VersionSection>[] }> {
  const entries: InSnapshot<ChangelogEntry>[] = [];
  const sections: InSnapshot<VersionSection>[] = [];
  for (const snapshot of snapshots) {
    for (const { path } of snapshot.files.filter((file) => isChangelog(file.path))) {
      const source = await snapshot.read(path, { signal }).catch(() => undefined);
      signal.throwIfAborted();
      if (source === undefined) continue;
      const part = readChangelog(path, source.lines, versions);
      entries.push(...part.entries.map((entry) => ({ ...entry, snapshot })));
      sections.push(...part.sections.map((section) => ({ ...section, snapshot })));
    }
  }
  return { entries, sections };
}

/** A document that says what changes: a changelog, or a guide for an upgrade. */
export function isChangelog(path: string): boolean {
  return (
    (classOf(path) === "changelog" || isGuide(path)) && /(?:^|\/)[^./]+$|\.(?:md|mdx|markdown|rst|txt)$/i.test(path)
  );
}

function isGuide(path: string): boolean {
  return /(?:migrat|upgrad|breaking)[^/]*$/i.test(path);
}

/** What of a document is newer than one version and not newer than another; of a guide, everything if it names the latter. */
export function readChangelog(
  path: string,
  lines: readonly string[],
  { from, to }: { from: string; to: string },
): ChangelogPart {
  const sections = findSections(/\.rst$|(?:^|\/)[A-Z]+(?:\.txt)?$/.test(path) ? "rst" : "markdown", lines);
  const versioned = sections.flatMap((section) => {
    const version = versionIn(section.name);
    return version === undefined ? [] : [{ ...section, version }];
  });
  const outer = versioned.filter(
    (section) => !versioned.some((one) => one !== section && one.line < section.line && one.endLine >= section.endLine),
  );
  const within = outer.filter(({ version }) => isBetween(version, { from, to }));
  const major = String(numbersOf(to)[0] ?? "");
  const isOfTarget = new RegExp(String.raw`(?<![\d.])v?${major}(?!\d)`).test(`${path} ${lines.slice(0, 20).join(" ")}`);
  const chosen: readonly Section[] =
    within.length > 0 || !isGuide(path) || !isOfTarget ? within : [{ name: path, line: 1, endLine: lines.length }];
  return {
    sections: chosen.map(({ line }) => ({ path, line, text: lines[line - 1] ?? "" })),
    entries: chosen.flatMap((section) => entriesIn(path, lines, section, sections)),
  };
}

/** `5.0.0 / 2024-09-10`, `[2.0.0b1]`, `Version 8.1.0`, `v4`. */
function versionIn(heading: string): string | undefined {
  return /^(?:[^\d]{0,40}?[\s[(`v/@-])?v?(\d+\.\d+(?:\.\d+)*)(?:[-.]?[A-Za-z][\w.]*)?(?![\w%])/.exec(heading)?.[1];
}

function isBetween(version: string, { from, to }: { from: string; to: string }): boolean {
  return compareReleases(version, from) > 0 && compareReleases(version, to) <= 0;
}

/** List items with the lines that continue them, rows of tables, and paragraphs. An item says what the item above it does: "remove:". */
function entriesIn(
  path: string,
  lines: readonly string[],
  section: Section,
  sections: readonly Section[],
): ChangelogEntry[] {
  const entries: ChangelogEntry[] = [];
  const headings = sections.filter(({ line }) => line > section.line && line <= section.endLine);
  const parents: { indent: number; text: string }[] = [];
  let start: number | undefined;
  let isExample = false;
  for (let line = section.line + 1; line <= section.endLine; line++) {
    const text = lines[line - 1] ?? "";
    const isHeading = headings.some((one) => one.line === line);
    const isFence = /^\s*(?:```|~~~)/.test(text);
    if (isFence) isExample = !isExample;
    const isBetween =
      isExample ||
      isFence ||
      text.trim() === "" ||
      isHeading ||
      /^\s*\|[-:| ]+$/.test(text) ||
      /^([=\-~^"'`#*+.])\1{2,}\s*$/.test(text);
    const isItem = !isBetween && itemStart.test(text);
    if (isBetween || isItem) end(line - 1);
    if (isItem || (start === undefined && !isBetween)) start = line;
  }
  end(section.endLine);
  return entries;

  function end(last: number): void {
    if (start === undefined) return;
    const first = lines[start - 1] ?? "";
    const indent = first.length - first.trimStart().length;
    while ((parents.at(-1)?.indent ?? -1) >= indent) parents.pop();
    const whole = lines
      .slice(start - 1, last)
      .map((line) => line.trim())
      .join(" ");
    const begun = start;
    const around = headings.filter((one) => one.line < begun && one.endLine >= begun).map(({ name }) => name);
    const below = [
      // What an item names as code is not what all items below it are about.
      ...parents.filter((parent) => breaking.test(parent.text)).map((parent) => parent.text.replaceAll("`", "")),
      ...around.filter((name) => breakingHeading.test(name)),
    ];
    const parts = itemStart.test(first) ? [whole] : whole.split(/(?<=[.!?])\s+(?=(?!It\b|They\b|This\b)[A-Z])/);
    entries.push({ path, line: start, endLine: last, text: first, whole, parts, below });
    parents.push({ indent, text: whole });
    start = undefined;
  }
}

const itemStart = /^\s*(?:(?:[-*+•]|\d+[.)])\s|\|)/;
const breaking =
  /\b(?:remov\w*|renam\w*|drop\w*|deprecat\w*|breaking|no longer|must now|replac\w*|instead|incompatible|stop\w*|delet\w*|moved|requires?|is now|are now|now (?:throws?|returns?|requires?|rejects?))\b/i;
const breakingHeading = /\b(?:breaking|remov|deprecat|incompatib|migrat|renam)/i;

/** Whether an entry says that a name breaks. */
export function breaks({ parts, below }: ChangelogEntry, name: string): boolean {
  return (
    parts.some((text) => text.includes(name) && breaking.test(text)) ||
    below.some((heading) => !heading.includes("`") || heading.includes(name))
  );
}

/** Whether an entry names something as code, not as what replaces it: `` `req.param()` ``, `app.del`, `parse_obj`. */
export function namesIn(entry: ChangelogEntry, { name, owners }: { name: string; owners: readonly string[] }): boolean {
  if (!entry.whole.includes(name)) return false;
  const whole = entry.whole.replace(replacement, "$1");
  if (!whole.includes(name)) return false;
  const own = name.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  const word = String.raw`(?<![\w$-])${own}(?![\w$-])`;
  const inCode = codeIn(whole).some((text) => new RegExp(String.raw`${word}(?!\.\w)`).test(text));
  const isDistinct = /[a-z][A-Z]|_|^[A-Z]\w*[a-z]\w*[A-Z]/.test(name);
  const form = isDistinct ? word : String.raw`(?<![\w$])${own}\(|[\w$)](?:\.|::|#)${own}(?![\w$-]|\.\w)`;
  if (!inCode && !new RegExp(form).test(whole)) return false;
  // Of `req.param`, an entry about `app.param` says nothing.
  const written = [...whole.matchAll(new RegExp(String.raw`([\w$]+)(?:\.|::|#)${own}(?![\w$-])`, "g"))];
  return (
    written.length === 0 ||
    owners.length === 0 ||
    written.some(([, owner = ""]) => owners.some((one) => isAlike(one, owner)))
  );
}

/** `` use `new()` instead ``, `` renamed to `new` ``, `` replaced by `one` and `other` ``: what the code breaks is the rest. */
const replacement =
  /(\b(?:use|prefer|in favou?r of|(?:renam|replac|mov)\w*\b[^.;`]*(?:`[^`]+`[^.;`]*)?\b(?:to|by|with|as))\s+(?:the\s+|an?\s+)?)`+[^`]+`+(?:(?:\s*,|\s+and|\s+or)+\s+`+[^`]+`+)*/gi;

/** Whether an entry names an option, alone: `` `required_error` ``, `` `regex=` ``. */
export function namesOption({ whole }: ChangelogEntry, name: string): boolean {
  return codeIn(whole).some((text) => text.replace(/[:=].*$/, "").trim() === name);
}

function codeIn(text: string): string[] {
  return text.split(/`+/).filter((_, index) => index % 2 === 1);
}
