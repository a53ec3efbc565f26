import type { SourceText } from "../source/source-text.ts";

export interface Rename {
  from: string;
  /** The percentage of lines in common. */
  similarity: number;
}

/** As git's default: https://git-scm.com/docs/git-diff#Documentation/git-diff.txt--Mltngt */
const leastSimilarity = 50;
/** A line that this many new files have does not tell where a file came from. */
const commonLine = 20;
/** Files with fewer lines are similar by chance. */
const fewestLines = 5;

type Texts = ReadonlyMap<string, SourceText | undefined>;

/** The files that are new under their path, by it, and which removed file each was: the most similar ones first. */
export function findRenames(removed: Texts, added: Texts): Map<string, Rename> {
  const candidates: (Rename & { to: string; isSameName: boolean })[] = [];
  const now = profilesOf(added);
  const filesWith = new Map<string, string[]>();
  for (const [path, { lines }] of now) {
    for (const line of lines.keys()) {
      const files = filesWith.get(line);
      if (files === undefined) filesWith.set(line, [path]);
      else files.push(path);
    }
  }
  for (const [from, old] of profilesOf(removed)) {
    const shared = new Map<string, number>();
    let common = 0;
    for (const [line, count] of old.lines) {
      const files = filesWith.get(line) ?? [];
      if (files.length > commonLine) common += count;
      else
        for (const to of files)
          shared.set(to, (shared.get(to) ?? 0) + Math.min(count, now.get(to)?.lines.get(line) ?? 0));
    }
    for (const [to, count] of shared) {
      if (extensionOf(from) !== extensionOf(to)) continue;
      const { count: newCount = 0 } = now.get(to) ?? {};
      const similarity = Math.floor((100 * count) / Math.max(1, old.count - common, newCount - common));
      const isShort = Math.min(old.count, newCount) < fewestLines;
      const isSameName = nameOf(from) === nameOf(to);
      if (similarity < (isShort && !isSameName ? 100 : leastSimilarity)) continue;
      candidates.push({ from, to, similarity: Math.min(similarity, 100), isSameName });
    }
  }
  candidates.sort(
    (a, b) => b.similarity - a.similarity || Number(b.isSameName) - Number(a.isSameName) || (a.to < b.to ? -1 : 1),
  );
  const renames = new Map<string, Rename>();
  const used = new Set<string>();
  for (const { from, to, similarity } of candidates) {
    if (used.has(from) || renames.has(to)) continue;
    used.add(from);
    renames.set(to, { from, similarity });
  }
  return renames;
}

interface Profile {
  /** How often each line is there; empty ones, and those of brackets alone, do not count. */
  lines: Map<string, number>;
  count: number;
}

function profilesOf(texts: Texts): Map<string, Profile> {
  const profiles = new Map<string, Profile>();
  for (const [path, source] of texts) {
    const lines = new Map<string, number>();
    let count = 0;
    for (const line of source?.lines ?? []) {
      const text = line.trim();
      if (!/\w/.test(text)) continue;
      lines.set(text, (lines.get(text) ?? 0) + 1);
      count++;
    }
    profiles.set(path, { lines, count });
  }
  return profiles;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function extensionOf(path: string): string {
  return /\.[^./]+$/.exec(path)?.[0] ?? "";
}
