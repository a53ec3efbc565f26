import { editDistance } from "./edit-distance.ts";

/**
 * The field that someone probably meant: one that is written nearly the same, that is part of the name or has it as a part
 * (`resource_names`, `notes`), or that means the same.
 */
export function nearestField(wanted: string, fields: readonly string[]): string | undefined {
  const words = wordsOf(wanted);
  const name = words.join("");
  const find = (test: (own: readonly string[]) => boolean) => {
    const distanceOf = (field: string) => editDistance(field.toLowerCase(), wanted.toLowerCase());
    return fields.filter((field) => test(wordsOf(field))).toSorted((a, b) => distanceOf(a) - distanceOf(b))[0];
  };
  const findSynonym = (word: string) =>
    synonyms
      .filter((group: readonly string[]) => group.includes(word))
      .map((group: readonly string[]) => find((own) => group.includes(own.join(""))))
      .find((field) => field !== undefined);
  return (
    find((own) => own.join("") === name) ??
    findSynonym(name) ??
    find((own) => editDistance(own.join(""), name, { limit: mostEdits(name) }) <= mostEdits(name)) ??
    find((own) => isPart(own, words) || isPart(words, own)) ??
    words.map(findSynonym).find((field) => field !== undefined)
  );
}

/** A third of the letters, at most two: `mode` and `name` are two words. */
function mostEdits(name: string): number {
  return Math.min(2, Math.floor(name.length / 3));
}

/** `resource`, `name` of `resource_names` and `resourceNames`: in lower case and in the singular. */
function wordsOf(name: string): string[] {
  return name
    .replace(/(?<=[\p{Ll}\d])(?=\p{Lu})/gu, " ")
    .toLowerCase()
    .split(/[\s_.-]+/)
    .filter((word) => word !== "")
    .map((word) => word.replace(/(?<=..)s$/, ""));
}

/** Whether the shorter name is how the longer one begins or ends. */
function isPart(shorter: readonly string[], longer: readonly string[]): boolean {
  if (shorter.length === 0 || shorter.length >= longer.length) return false;
  const text = shorter.join(" ");
  return longer.slice(0, shorter.length).join(" ") === text || longer.slice(-shorter.length).join(" ") === text;
}

/** What callers of other services write; each word as `wordsOf` gives it, joined. The first group that applies counts. */
const synonyms = [
  ["question", "query", "prompt", "text", "message", "content", "q", "pattern", "keyword", "markdown"],
  ["url", "uri", "link", "href", "repo", "repository"],
  ["name", "symbol", "identifier", "function"],
  ["resource", "name", "repo", "repository", "library", "package", "codebase", "source"],
  ["package", "packagename", "pkg", "module", "library"],
  ["path", "file", "filename", "folder", "directory", "dir"],
  ["startline", "start", "from", "line"],
  ["endline", "end", "to"],
  ["limit", "max", "maxresult", "topk", "top", "k", "n"],
  ["glob", "include", "filter", "path", "file", "folder", "directory", "dir"],
  ["glob", "pattern"],
  ["ignorecase", "caseinsensitive", "casesensitive", "i"],
  ["count", "countonly"],
  ["kind", "type"],
  ["branch", "ref", "tag"],
  ["version", "tag"],
  ["thread", "conversation", "session"],
  ["baseurl", "url", "endpoint"],
  ["key", "apikey", "token"],
] as const satisfies readonly (readonly string[])[];
