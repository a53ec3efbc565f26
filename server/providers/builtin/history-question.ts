import { contentWords, memberPaths, writtenNames } from "../../source/words.ts";

/** A question about the history of code. */
export interface HistoryQuestion {
  event: "added" | "removed" | "renamed" | "changed" | "reverted" | "last" | "reason";
  /** A file, a folder, or lines of a file. */
  place?: string;
  /** A name, an option or a text. */
  text?: string;
  /** The words of the subject, where nothing in it is written as code. */
  words: string[];
  /** The value before and after, as far as they are named. */
  values: string[];
  since?: string;
  until?: string;
}

type Asks = "when" | "release" | "who" | "why" | "what";

/** The beginnings of questions about history. */
const leads: readonly (readonly [Asks, string])[] = [
  ["when", "when|at what point|(?:in )?(?:which|what) year|how long ago"],
  ["release", "(?:(?:in|since|as of|from|starting with|by|with) )?(?:which|what) (?:release|version|tag)"],
  [
    "release",
    "(?:which|what(?:['’]?s| is| was)) (?:is |was )?(?:the )?(?:first|earliest|oldest) (?:release|version|tag)",
  ],
  ["who", "who|(?:in )?(?:which|what) (?:commit|change|author|pr|pull request)"],
  ["who", "what(?:['’]?s| is| was) the (?:first |last )?commit"],
  ["why", "why|for what reason|what(?:['’]?s| is| was) the reason"],
  [
    "what",
    "what(?:['’]s| has| have| is)?(?: been)?(?= (?:changed|new|different|added|removed|renamed)\\b)|what (?:were |are )?(?:the )?changes",
  ],
  ["what", "how (?:has|have|did)|(?:show|list)(?: me)? (?:the )?(?:changes|history)|(?:the )?history of"],
];
const beginnings = leads.map(
  ([asks, form]) => [asks, new RegExp(`^\\W*(?:and |so |since )?(?:${form})\\b`, "i")] as const,
);

/** Verbs: the form that tells of the past, and the one after "did", which releases have with an `s`. */
const verbs = {
  added:
    "added/add introduced/introduce created/create appeared/appear landed/land shipped/ship implemented/implement started/start begun/begin born/- written/write wrote/write arrived/arrive came/come brought/bring included/include supported/support got/get gained/gain",
  removed: "removed/remove dropped/drop deleted/delete disappeared/disappear gone/go vanished/vanish lost/lose",
  renamed: "renamed/rename moved/move became/become",
  changed:
    "changed/change modified/modify updated/update touched/touch edited/edit bumped/bump raised/raise lowered/lower increased/increase decreased/decrease reduced/reduce switched/switch rewritten/rewrite rewrote/rewrite refactored/refactor fixed/fix deprecated/deprecate flipped/flip",
  reverted: "reverted/revert undone/undo undid/undo",
} as const;
type Event = keyof typeof verbs;

const eventsOf = (form: 0 | 1): ReadonlyMap<string, Event> =>
  new Map(
    (["added", "removed", "renamed", "changed", "reverted"] as const).flatMap((event) =>
      verbs[event].split(" ").map((pair) => [pair.split("/")[form] ?? "", event] as const),
    ),
  );
const [past, base] = [eventsOf(0), eventsOf(1)];

/** Before a past form: "when is it removed" is about what code does. */
const auxiliaries = /^(?:was|were|has|have|had|did|been|got|wasn['’]t|weren['’]t|didn['’]t|hasn['’]t)$/;
const modals = /^(?:is|are|do|does|can|could|should|would|will|must|may|if|while)$/;
/** What a release does with code from its first on. */
const having = /^(?:has|have|had|contains?|with)$/;
const thisWay = /\b(?:this|that) way\b|\blike (?:this|that)\b|\b(?:here|there)\s*\??\s*$/i;
/** Nouns for the kind of a subject, and other words that no code has. */
const nouns = new Set(
  `option flag function method class setting parameter argument field file folder default defaults value support command type key property
  variable constant line lines feature api first exist exists last lately recently latest originally instead anymore entirely way`.split(
    /\s+/,
  ),
);
const version = String.raw`v?\d+(?:\.\d+)*(?:[-.]?(?:rc|alpha|beta|a|b|pre)[-.]?\d*)?|[\w@/-]*\d+\.\d[\w.-]*|(?=[a-f]*\d)[0-9a-f]{7,40}|\d{4}-\d\d(?:-\d\d)?`;
const release = String.raw`(?:the )?(?:release |version |tag )?(?<$>${version})`;
const named = (name: string) => release.replace("$", name);
const ranges = [
  `\\b(?:between|from) ${named("since")} (?:and|to|until) ${named("until")}(?![\\w.])`,
  `\\b(?:since|after) ${named("since")}(?![\\w.-]*\\w)`,
  `\\b(?:until|before|up to) ${named("until")}(?![\\w.-]*\\w)`,
].map((form) => new RegExp(form, "i"));
const valuesOf = /\b(?:from (?<from>\S+?) )?to (?<to>\S+?)[\s?.!,]*$/i;

/**
 * What a question asks of the history, or undefined: most questions ask what code does.
 * @param options `names`: of the turns before, for "when was it added?"; `own`: words of the resources' names
 */
export function historyAsked(
  text: string,
  { names, own }: { names: readonly string[]; own: readonly string[] },
): HistoryQuestion | undefined {
  if (text.length > textLimit || text.trim().includes("\n")) return undefined;
  const [asks, beginning] = beginnings.find(([, form]) => form.test(text)) ?? [];
  if (asks === undefined || beginning === undefined) return undefined;
  let rest = text.replace(beginning, "");
  const range = ranges.map((form) => form.exec(rest)).find((found) => found !== null);
  const values =
    range?.groups?.["until"] !== undefined && range.groups["since"] !== undefined && isOfValues(rest) ? null : range;
  const { since, until } = values?.groups ?? {};
  if (values) rest = rest.replace(values[0], " ");
  const found = eventIn(rest, asks, {
    // "Who creates a cart" asks for code, "which commit adds it" does not.
    isTold: asks === "release" || (asks === "who" && !/^\W*(?:\w+ )?who\b/i.test(text)),
    isSince: /^\W*(?:since|as of|from|starting with)\b/i.test(text),
    isRanged: since !== undefined || until !== undefined,
  });
  if (found === undefined) return undefined;
  const { event, verb } = found;
  const changed = event === "changed" || event === "renamed" ? valuesOf.exec(rest)?.groups : undefined;
  if (changed?.["to"] !== undefined)
    rest = rest.replace(valuesOf, event === "renamed" && changed["from"] !== undefined ? ` ${changed["from"]}` : "");
  const subject = subjectIn(rest.replace(verb === undefined ? /$^/ : new RegExp(`\\b${verb}\\b`, "i"), " "), {
    names,
    own,
  });
  if (subject === undefined && (asks !== "what" || since === undefined)) return undefined;
  return {
    event,
    ...(subject ?? { place: ".", words: [] }),
    values: [changed?.["from"], changed?.["to"]].flatMap((value) => value?.replace(/^[`"“'‘]|[`"”'’]$/g, "") ?? []),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
  };
}

const textLimit = 300;

function isOfValues(text: string): boolean {
  return /\bdefault|\b(?:bump|rais|lower|increas|decreas|reduc|switch|flip)/i.test(text);
}

/** What happened, and the verb that says so. */
function eventIn(
  text: string,
  asks: Asks,
  { isTold, isSince, isRanged }: { isTold: boolean; isSince: boolean; isRanged: boolean },
): { event: HistoryQuestion["event"]; verb: string | undefined } | undefined {
  const words =
    text
      .toLowerCase()
      .replace(/[`"“][^`"”]*[`"”]/g, " ")
      .match(/[\w'’./-]+/g) ?? [];
  const isLast = words.some((word) => /^(?:last|latest|lately|recently)$/.test(word));
  const main = words.findIndex((word) => auxiliaries.test(word) || modals.test(word));
  const hasAuxiliary = (index: number) => main < index && auxiliaries.test(words[main] ?? "");
  const isDirect = (index: number) =>
    asks === "who" || asks === "release" || asks === "what" || words.slice(0, index).length === 0;
  for (const [index, word] of words.entries()) {
    const before = past.get(word);
    const isDid = words.slice(0, index).some((one) => /^did(?:n['’]t)?$/.test(one));
    const isPresent = isTold && word.endsWith("s") && index < 3;
    const event =
      (before !== undefined && (hasAuxiliary(index) || isDirect(index) || isSince) ? before : undefined) ??
      (isDid ? base.get(word) : undefined) ??
      (isPresent ? (base.get(word.slice(0, -1)) ?? base.get(word.slice(0, -2))) : undefined);
    if (event === undefined) continue;
    if (asks === "what" && !isRanged && !isLast) return undefined;
    const isPlain = event === "changed" && !isRanged && !isOfValues(text) && !/\bto \S+\W*$/.test(text);
    return { event: isPlain ? "last" : event, verb: word };
  }
  if (asks === "what" && (isRanged || /\bhistory\b/i.test(text))) return { event: "changed", verb: undefined };
  if (asks === "why" && thisWay.test(text)) return { event: "reason", verb: undefined };
  if (asks === "why" && linesOfFile.test(text)) return { event: "reason", verb: undefined };
  if (
    isSince ||
    (asks === "release" && having.test(words[0] ?? "")) ||
    (asks === "release" && /\bfirst\b|\bavailable\b/i.test(text))
  )
    return { event: "added", verb: undefined };
  return undefined;
}

const linesOfFile = /[\w./-]+\.\w+(?::\d+|#L\d+)/;
/** A file of a known kind, or a path with a folder, perhaps with lines. */
const path =
  /^(?:[\w@.+-]+\/)+[\w@.+-]*(?:(?::\d+|#L\d+)(?:-L?\d+)?)?$|^[\w@+-]*\.(?:[cm]?[jt]sx?|py|go|rs|rb|c|h|cc|cpp|java|kt|php|cs|md|rst|txt|json|ya?ml|toml|lock|sh|cfg|ini|conf|html|css|sql|lua|swift|[1-8])(?:(?::\d+|#L\d+)(?:-L?\d+)?)?$/;
const option = /(?<![\w-])--?[A-Za-z][\w-]*/;

/** What the question is about; what is written as code comes before words. */
function subjectIn(
  text: string,
  { names, own }: { names: readonly string[]; own: readonly string[] },
): Pick<HistoryQuestion, "place" | "text" | "words"> | undefined {
  const quoted = [...text.matchAll(/[`"“]([^`"”\n]{1,200})[`"”]|(?<=\s|^)['‘]([^'’\n]{2,200})['’](?=\W|$)/g)].map(
    ([, one, other]) => one ?? other ?? "",
  );
  const bare = text.replace(/[`"“][^`"”\n]*[`"”]/g, " ");
  const tokens = bare.split(/[\s,;()<>]+/).map((token) => token.replace(/(?:[.:!?]+|['’]s)$/, ""));
  const paths = [...quoted, ...tokens].filter((token) => path.test(token));
  const options = bare.match(new RegExp(option, "g")) ?? [];
  const called = bare.replace(/\(\)/g, "");
  const members = memberPaths(called).filter((one) => !paths.includes(one));
  const written = writtenNames(called).filter(
    (one) => !own.includes(one.toLowerCase()) && !paths.some((path) => path.includes(one)),
  );
  const [name] = [...quoted.filter((one) => !paths.includes(one)), ...options, ...members, ...written];
  const [place] = paths;
  const stated = [bare.replace(new RegExp(option, "g"), " ").replace(/(?:\b|\.)[\w./-]*[./][\w./-]*/g, " ")]
    .flatMap(contentWords)
    .filter((word) => /^[\w-]+$/.test(word) && word !== name);
  const telling = stated.filter(
    (word) =>
      !nouns.has(word.toLowerCase()) &&
      !past.has(word.toLowerCase()) &&
      !own.includes(word.toLowerCase()) &&
      !asking.test(word),
  );
  const at =
    place === undefined
      ? {}
      : {
          place: place
            .replace(/\/$/, "")
            .replace(/#L(\d+)(?:-L?(\d+))?$/, (_, from, to) => `:${from}${to === undefined ? "" : `-${to}`}`),
        };
  if (name !== undefined) return { ...at, text: name.replace(/\(\)$/, ""), words: telling };
  if (place !== undefined) return { ...at, words: [] };
  const [only, ...others] = telling;
  // The changelog says what the last release changed.
  if (others.length === 0 && /^(?:release|version)$/i.test(only ?? "")) return undefined;
  if (only !== undefined) return others.length === 0 ? { text: only, words: [] } : { words: telling };
  const [before] = names;
  return before === undefined ? undefined : { text: before, words: [] };
}

const asking =
  /^(?:did|does|done|was|were|has|have|had|got|it|its|he|she|they|who|why|when|which|what|first|last|new|different|changes?|history|available)$/i;
