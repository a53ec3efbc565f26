import { memberPaths, stopWords, weakWords } from "../../source/words.ts";

/** A member with its owner: `TextStore.read`, `Table::read`, `Layer#match`. */
export interface Member {
  owner: string;
  name: string;
}

/** The members that a text names. `express.json` is a member if there is no such file. */
export function membersIn(text: string, absent: readonly string[]): Member[] {
  const dataNames = absent.filter((name) => /\.(?:json|html|css|sql|xml|ya?ml|toml|map)$/.test(name));
  // "@Query(encoded = true)"
  const ofAnnotations = [...text.matchAll(/@(\p{Lu}\w*)[\s(]+(\p{Ll}\w*)\s*=/gu)].map(
    ([, owner, name]) => `${owner}.${name}`,
  );
  const paths = [...new Set([...memberPaths(text), ...dataNames, ...ofAnnotations])].slice(0, memberLimit);
  return paths.flatMap((path) => {
    const [name, owner] = path.split(/[.#:]+/).toReversed();
    return name === undefined || owner === undefined ? [] : [{ owner, name }];
  });
}

const memberLimit = 2;

/** `safeParse` and `parse` in "safeParse vs parse" and "the difference between safeParse and parse". */
export function comparedIn(text: string): string[] {
  const pattern =
    /(?<![\w$])([\w$]{1,80})(?:\(\))?\s{1,9}(?:vs\.?|versus)\s+([\w$]+)|\bdifference between\s+([\w$]+)(?:\(\))?\s+and\s+([\w$]+)/i;
  return (pattern.exec(text) ?? []).slice(1).filter((name) => name !== undefined);
}

/** Names that end with a mark, as methods of Ruby do: `save!`, and in backticks `empty?`. */
export function markedNames(text: string): string[] {
  return [...text.matchAll(/(?<![\w$])([a-z_]\w{1,80}!)(?![\w=!])|`([a-z_]\w{1,80}[!?])`/g)].map(
    ([, bare, quoted]) => bare ?? quoted ?? "",
  );
}

/** Where a question looks for something: `parser` in "where in the parser is it called". */
export function placesAsked(text: string): string[] {
  return [...text.matchAll(/\b(?:in|inside|within) (?:the )?([\w./-]*\w)/gi)].map(([, place = ""]) => place);
}

/** The class of a thing that a question asks the maker of: `Cart` in "who creates a Cart", "where is Cart instantiated". */
export function madeIn(text: string): string | undefined {
  const [, made, other] =
    /^\W*(?:who|what|which \w+) (?:creates?|instantiates?|constructs?|allocates?) (?:(?:an?|the|new) )*\W?([\w$.:]*\w)|^\W*where (?:is|are|do|does) (?:(?:an?|the|new|we|they) )*\W?([\w$.:]*\w)\W? (?:gets? )?(?:created?|instantiated?|constructed|construct|allocated?)\W*$/i.exec(
      text,
    ) ?? [];
  const name = made ?? other;
  return name !== undefined && /\p{Lu}|_/u.test(name) ? name : undefined;
}

/**
 * A name beside what it is: "the Context class", "struct client". One in small letters counts only where the question
 * asks for the place, because prose has them too: "the first class of a file".
 */
export function kindedNames(text: string): string[] {
  const kind =
    "(?:class|struct|interface|trait|enum|union|protocol|record|typedef|type|function|func|method|macro|constant|variable|component|hook|decorator|module)";
  const found = [
    ...text.matchAll(new RegExp(String.raw`(?<![\w$.])(\p{Lu}[\p{L}\p{N}_$]*)\s+${kind}\b`, "gu")),
    ...text.matchAll(new RegExp(String.raw`\b${kind}\s+(\p{Lu}[\p{L}\p{N}_$]+)`, "gu")),
    ...text.matchAll(
      new RegExp(String.raw`^\W*where(?:['’]?s| is| are) (?:the )?([\p{L}_$][\p{L}\p{N}_$]*) ${kind}\b`, "giu"),
    ),
    ...text.matchAll(
      new RegExp(String.raw`^\W*where(?:['’]?s| is| are) (?:the )?${kind} ([\p{L}_$][\p{L}\p{N}_$]*)`, "giu"),
    ),
  ].flatMap(([, name]) => name ?? []);
  const isName = (name: string) => !stopWords.has(name.toLowerCase()) && !weakWords.has(name.toLowerCase());
  return [...new Set(found)].filter(isName);
}
