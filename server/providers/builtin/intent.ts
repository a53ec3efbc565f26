import { languageOf } from "../../source/languages.ts";
import { asked, it, who, withIt } from "../../source/question-forms.ts";
import { contentWords, isMemberInCapitals, stopWords, wordsIn } from "../../source/words.ts";
import { isDocument } from "./evidence.ts";
import type { ToolResult } from "./look.ts";
import { madeIn } from "./question-names.ts";
import { isComment, lengthOf, partsIn } from "./produced.ts";

/**
 * What a question asks for: a definition, how something is used, its callers, a list of all items of a kind, a reason, the
 * source of a message, or `any` if only the words are known.
 */
export type Intent = "definition" | "usage" | "callers" | "listing" | "reason" | "message" | "any";

export function intentOf(text: string): Intent {
  if (isRequest(text)) return "usage";
  return isMessage(messageIn(text)) || saidIn(text) !== undefined ? "message" : askedFor(text);
}

function askedFor(text: string): Intent {
  if (/^\s*[\w$.#:]+(?:\(\))?\s*$/.test(text)) return "callers";
  if (madeIn(text) !== undefined) return "callers";
  return rules.find(([, pattern]) => pattern.test(text))?.[0] ?? "any";
}

/**
 * What a question asks for, now that something was looked up. A message that no code contains is none: it describes a
 * definition (“Reads the cache if it exists”) or says what somebody wants to do ("shut the server down gracefully").
 */
export function wantedBy(text: string, results: readonly ToolResult[]): Intent {
  const intent = intentOf(text);
  if (intent !== "message" || results.length === 0) return intent;
  const isRequest = isPlain(text);
  const isSaid = (part: string) => !isRequest || contentWords(part).length > 1;
  const parts = messageParts(text).filter(isSaid);
  const wholes = parts.filter(
    (part) => /(?:\S+\s+){2}\S/.test(part) && !parts.some((other) => other !== part && other.includes(part)),
  );
  const whole = parts[0]?.length ?? 0;
  const isProduced = results.some(({ passages }) =>
    passages.some(({ path, lines }) => {
      const isProse = isDocument(path);
      const made =
        isProse && isRequest ? [] : partsIn(isProse ? lines : lines.filter((line) => !isComment(line)), parts);
      const least = (isProse ? leastInProse : leastInCode) * whole;
      return made.some((part) => wholes.includes(part)) || (made.length > 0 && lengthOf(made) >= least);
    }),
  );
  if (isProduced) return intent;
  if (/\bwhy\b/i.test(text)) return "reason";
  const other = askedFor(text);
  return isRequest ? "usage" : other === "any" && isMessage(text) ? "definition" : other;
}

/** The share of a message's longest part that lines have at least which produce it; fewer words are there by chance. */
const leastInCode = 0.35;
const leastInProse = 0.7;

/** Whether a question is about how something is done. "How do I" asks for usage, see `intentOf`. */
export function asksHow(text: string): boolean {
  return mechanism.test(text) && !/\bworks?\b/i.test(text) && !advice.test(text);
}

const mechanism =
  /^\s*(?:how|when|why|what (?:happens|makes|decides|determines)|(?:what|which) (?:code|function|method|line|part))\b|[,;]\s*what (?:happens|becomes|comes)\b/i;

/** Asks for the path of something through the code, from beginning to end. */
export const asksForWay =
  /\b(?:go(?:es)? through|travels? through|in (?:which|what) order|(?:which|what) (?:steps|stages|phases)|life ?cycle|one turn|walk me through|from \w[^,?]*? (?:to|until) (?:the|a|its|being)\b)/i;

/** A rule for people, or a difference: documents say those. */
const advice = /^\s*how (?:should|(?:is|are|does|do|did) .*\b(?:differ\w*|compares?|relates?)\b)/i;

/** Whether a question is about the tests of something. */
export function asksForTests(text: string): boolean {
  return /\btest(?:s|ed)?\b/i.test(text) && intentOf(text) === "callers";
}

/** Nouns for a whole project or a part of it, and words for its properties. A question of only these asks for an overview. */
const projectWords = new Set(
  `app application architecture codebase component composition design framework introduction layout library module organisation organization
  overview package part piece program programme project purpose repo repository software source sources structure system tool`.split(
    /\s+/,
  ),
);
const partWords = new Set(
  `begin big brief code connect connected core crates depend dependencies depends entry export exports explain file files fit folder folders high important introduce key laid level main meet organised require requires
  organized picture point put quick short start started starting starts begins structured summarise summarize summary
  together understand work works`.split(/\s+/),
);

/**
 * Whether a question asks for an overview, such as "What is this project, and where does it start?".
 * @param options `own`: the words of the resources' names; `isFirst`: whether no question precedes it
 */
export function isOverview(text: string, { own, isFirst }: { own: ReadonlySet<string>; isFirst: boolean }): boolean {
  if (asksForParts(text) || (isFirst && dependencyQuestion.test(text))) return true;
  const plain = withIt(text, own);
  const forms = [asksForStart, asksForTour, asksForWhole];
  if (isFirst && (asksForMain(text) || forms.some((form) => form.test(plain)) || asksAbout(text, own))) return true;
  if (/[`(]|\b(?:an?|each|every|one)\s+(?:project|package|library|module|component|part|piece|tool)\b/i.test(text))
    return false;
  const words = wordsIn(text).map((word) => word.toLowerCase());
  const informative = words.filter((word) => !stopWords.has(word) && !/^\w$/.test(word));
  const isProject = (word: string) =>
    projectWords.has(word) || projectWords.has(word.replace(/ies$/, "y").replace(/s$/, ""));
  const isName = (word: string) => own.has(word) && !isProject(word);
  if (informative.length === 0) return isFirst;
  if (informative.every(isName)) return /^\s*(?:what|explain|describe|tell)\b/i.test(text) && !/\bdifferen/i.test(text);
  const isMeant = isFirst && /\b(?:its?|this|here|we)\b/i.test(text);
  return (
    (isMeant || informative.some((word) => isProject(word) || isName(word))) &&
    informative.every((word) => isProject(word) || isName(word) || partWords.has(word))
  );
}

const asksForStart = asked(
  String.raw`^\W*(?:(?:what|where)(?:['’]?s| is) )?(?:the )?entry (?:point|file)\W*$|^\W*(?:which|what) (?:file|function|code|class|script) (?:runs|is (?:run|called|executed|loaded)) first\W*$`,
  String.raw`^\W*(?:what (?:happens|is (?:called|run|executed)) when (?:${who} (?:run|start|launch) )?${it}(?: starts)?|how does (?:the )?(?:start[- ]?up|boot(?:ing)?)(?: process)? work|how does ${it} (?:boot|start)(?: up)?)\W*$`,
  String.raw`\bwhere (?:do|does) (?:${it}|the \w+|everything|(?:program )?execution) (?:start|begin)\b`,
  String.raw`\bwhere (?:do|does) \S+ (?:start|begin)\b.* when ${who} (?:run|type|call|start|launch|enter|invoke)\b`,
  String.raw`^\W*what happens (?:on|at|during) (?:start ?up|launch|boot)\W*$`,
  String.raw`^\W*what happens when (?:${it}|(?:the )?server) (?:starts|boots|launches)(?: up)?\W*$`,
  String.raw`\b(?:which|what) (?:files?|code|parts?) (?:should|do|can) ${who} (?:read|look at|open) first\b`,
  String.raw`\bwhere (?:should|do|can) ${who} (?:start|begin)(?:\W*$| (?:reading|looking)\b| (?:if|when|to)\b.* (?:code|sources?|${it})\b)`,
  String.raw`\b(?:which|what)(?:['’]s the first)? (?:files?|code|functions?|methods?|classe?s?|scripts?|thing|part) (?:that |which )?(?:(?:is|gets?) )?(?:runs?|executed|called|loaded|starts?)(?: first)? when ${who} (?:run|type|call|start|launch|enter|invoke)\b`,
  String.raw`\bwhat (?:happens|runs|is (?:run|executed|called)) first when ${who} (?:run|type|call|start|launch|enter|invoke)\b`,
);
const asksForTour =
  /\bfind my way (?:around|through)\b|\b(?:tour|walk ?through|walk me through|guide me through|show me around)\b(?: of)?(?: (?:the|this|your))?(?: (?:code|codebase|code base|project|repo\w*|sources?|it|this))?\W*$/i;

/** Asks what the project is, or how it works as a whole; the project's name is “it”. */
const asksForWhole = asked(
  String.raw`^\W*what(?:['’]?s| is) (?:\w+ )?it(?:,? (?:in|exactly|actually|and)\b|\W*[?.,]|\W*$)`,
  String.raw`^\W*what (?:kind|sort|type) of (?:project|tool|library|framework|program|software|thing) is ${it}\W*$`,
  String.raw`^\W*is ${it} (?:an? )?(?:library|framework|tool|app\w*|server|service|cli|program)(?:,? or\b.*|\W*$)`,
  String.raw`^\W*(?:what|which) problems? (?:does|is) ${it} (?:solve|for|meant)`,
  String.raw`^\W*why (?:would|should|do) ${who} (?:use|want|need) ${it}\W*$`,
  String.raw`\bhow does ${it} (?:actually |really |even )?work\b(?:,? (?:internally|inside|roughly|basically|exactly|in general|overall|at a high level|under the hood|behind the scenes))*\W*$`,
  String.raw`^\W*(?:in (?:general|broad|simple)(?: terms)?|roughly|basically|at a high level|overall|broadly)\b,? how (?:does|is) ${it}\b`,
  String.raw`^\W*what are (?:the|its) (?:main|core|key|central|most important) (?:types|class(?:es)?|interfaces|structs|objects|concepts|abstractions|modules|components|parts|pieces|building blocks)(?: (?:in|of) ${it})?\W*$`,
  String.raw`^\W*which (?:types|classes|modules|files) (?:are (?:the )?(?:most important|important|central)|matter(?: (?:the )?most)?)\W*$`,
  String.raw`^\W*(?:the )?(?:key|core|main|central) (?:types|classes|data structures|abstractions|concepts|components|features)\W*$`,
  String.raw`^\W*(?:tl;?dr|eli5|summary|(?:short |quick )?introduction|overview)(?: (?:of|for|to) ${it})?(?:,? please)?\W*$|^\W*it in (?:one|an?|two|a few) (?:sentences?|words?)\W*$`,
  String.raw`^\W*(?:can|could) you (?:describe|explain|summari[sz]e) ${it}\W*$|^\W*what are (?:its|the) (?:main |key )?features\W*$`,
  String.raw`^\W*how is (?:the )?(?:code|codebase|source(?: code| tree)?|repo\w*) (?:organi[sz]ed|structured|laid out|arranged)\W*$|^\W*how is ${it} built internally\W*$`,
  String.raw`^\W*(?:describe|show|explain)(?: me)? the (?:directory|folder|code|repo\w*|project) (?:structure|layout|tree)\W*$|\b(?:map|overview) of the (?:code|source|repo)\w*(?: tree)?\W*$`,
  String.raw`^\W*how does (?:everything|it all|all (?:of )?(?:this|it)) fit together\W*$|^\W*what are the layers\W*$|\bwhat(?:['’]?s| is) in (?:which folder|src|lib)\W*$|^\W*where do ${who} find what\W*$`,
);

/** Whether it asks for the entry point: "Where is main?", "what's the entry point". */
export function asksForMain(text: string): boolean {
  return /\b(?:main|what['’]?s the|where['’]?s the|where is the)(?: \w+)? entry ?point\b|\bfrom main\b(?:\(\))? (?:down|on|to|through)\b|\bwhere(?:['’]?s| is) (?:the )?[`"]?main\b[`"]?(?:\(\))?(?: (?:function|method|program(?:me)?|file))?\s*(?:$|[?.,;]|and\b)/i.test(
    text,
  );
}

/** Asks about what a library defines. */
export const asksForTypes = /\b(?:types|classes|interfaces|structs|objects|data structures)\b/i;

/** Asks what a command starts, not what a library does. */
export const asksForCommand = asked(
  String.raw`\b(?:terminal|command(?:[- ]line)?|cli|npx|shell|bundle exec|executable|binary)\b`,
  String.raw`\b(?:when|if|once|after) ${who} (?:run|type|call|start|launch|enter|invoke)\b`,
);

/** Whether it asks what the packages or folders of a project are for: "what does each crate do?". */
export function asksForParts(text: string): boolean {
  return partForms.some((form) => form.test(text));
}

const partNouns = String.raw`(?:packages|crates|gems|modules|sub[- ]?projects|workspaces|folders|directories|components|apps|services)`;
const partForms = [
  String.raw`\bwhat are (?:all )?(?:(?:the|these|those|its) )?(?:\w+ ){0,2}${partNouns}\b[^,.;]{0,40}\bfor\s*(?:$|[?.,;(])`,
  String.raw`\b${partNouns}\b.*\bwhat (?:is|are|does|do) (?:each|every|they)\b[^,.;]{0,20}\b(?:for|do)\b`,
  String.raw`\bwhat (?:is|does) (?:each|every) (?:of (?:the|these|its) )?(?:\w+ )?${partNouns.replaceAll("s|", "s?|").replace("s)", "s?)")}\b.{0,20}\b(?:for|do|contain)\b`,
  String.raw`\b(?:which|what|list(?: all)?(?: the)?) ${partNouns} (?:(?:are )?(?:there|here|in (?:here|(?:this|the) \w+))\W*$|(?:is it made of|does (?:it|this \w+) (?:have|contain|consist))\b)`,
  String.raw`\bwhat are (?:all )?(?:the|these|those) ${partNouns}(?: (?:here|in (?:here|(?:this|the) \w+)))?\W*$`,
  String.raw`\b(?:list|explain)(?: all)? (?:the )?${partNouns} and what (?:they|each)\b|\bdifferences? between (?:all )?(?:the|these) ${partNouns}\W*$`,
  String.raw`\bwhat do (?:all )?(?:the|these) (?:\w+ )?${partNouns} do\b`,
].map((form) => new RegExp(form, "i"));

/** Whether it asks what the project itself is or is for: "What is fastify?", "Redis, what is it exactly?". */
function asksAbout(text: string, own: ReadonlySet<string>): boolean {
  const name = abouts.map((pattern) => pattern.exec(text)?.[1]).find((one) => one !== undefined);
  return name !== undefined && own.has(name.toLowerCase());
}

const abouts = [
  /^\s*what(?: exactly)?(?:['’]?s| is| does)(?: exactly)? (\w+)(?: do| used for| for| good for| about| exactly)?\s*(?:$|[?,.]|(?:and|that|over)\b)/i,
  /^\s*(\w+)\s*[,:;–-]+\s*what(?:['’]?s| is| does) (?:it|that|this)\b/i,
];

/** The part of a project that a question about all of it wants to see first. */
export type Focus = "start" | "layout" | "parts" | "purpose";

/** Asks what runs, although it begins as "what is this" does. */
const asksForRun = /^\W*what (?:happens|is (?:called|run|executed)) when\b/i;

export function focusOf(text: string): Focus {
  if (asksForParts(text)) return "parts";
  if (asksForMain(text) || asksForRun.test(text)) return "start";
  if (asksForTour.test(text)) return "layout";
  const isStart = asksForStart.test(text) || /\b(?:start|begin|entry|main|first|execut\w+)\b/i.test(text);
  if (isStart && !/\bwhat (?:is|does|are)\b/i.test(text)) return "start";
  if (asksForTypes.test(text)) return "start";
  return /\b(?:lai?d? ?out|structure|organi[sz]|architecture|together|folders?|parts?|pieces|concepts|abstractions|components|modules|internal|hood|design|layers|map|source tree|in (?:src|lib)\b|find what)|\bhow (?:does|is)\b/i.test(
    text,
  )
    ? "layout"
    : "purpose";
}

/** Begins with what the project depends on, whatever it asks after that. */
const dependencyQuestion =
  /^\W*(?:so )?what (?:(?:does|do) (?:it|this|we|the \w+) (?:depend|rely) on|are (?:its|the|our) dependencies)\b|^\W*(?:what|which) (?:(?:other|third[- ]party|external) )*(?:gems|packages|crates|modules|libraries|libs|dependencies|deps)\b.*\b(?:pulls? in|needs?|requires?|brings?|depends? on|rel(?:y|ies) on|uses?|used)\W*$|^\W*(?:(?:a |the )?list (?:of )?)?(?:all )?(?:the |its )?(?:runtime |direct |external )*(?:dependencies|deps)\W*$|^\W*does (?:it|this|the \w+) have (?:any )?(?:\w+ )?dependencies\W*$/i;

/** Whether a question about a project is only about what it depends on. */
export function asksForDependencies(text: string): boolean {
  return /\bdep(?:s\b|end)|\b(?:libraries|libs|packages|modules|crates|gems)\b.*\b(?:used?|uses|needs?|requires?|rely|relies|pulls?|brings?)\b/i.test(
    text,
  );
}

/**
 * The files and folders that a question names: `src/retry.ts`, `retry.ts`, `src/util`; they may not exist.
 * A name followed by a parenthesis is a member (`express.json()`).
 */
export function pathsIn(text: string): string[] {
  const tokens = [...text.matchAll(/[^\s"'`“”‘’,;()<>]+(\()?/g)];
  const paths = tokens
    .filter(([, call]) => call === undefined)
    .map(([token]) => token)
    .filter((token) => token.length <= pathLimit && !token.includes("://") && !aliasStart.test(token))
    .map((token) => token.replace(/(?:[.:!?]+|['’]s)$/, ""))
    .filter((token) => /^(?:[\w@.[\]+-]+\/)+[\w@.[\]+-]*$/.test(token) || isFileName(token));
  return [...new Set(paths.map((path) => path.replace(/^\.\/|\/$/g, "")))].slice(0, 2);
}

/** The import paths that a question names, such as `@/lib/utils` and `@scope/name`: text in the code, not paths. */
export function aliasesIn(text: string): string[] {
  return text.split(/[\s"'`“”‘’,;()<>]+/).flatMap((token) => {
    return aliasStart.test(token) && token.length <= pathLimit ? [token.replace(/[.:!?]+$/, "")] : [];
  });
}

/** `@/`, `~/`, `#lib/`, `$lib/`, `@scope/`. */
export const aliasStart = /^(?:[@~#]|[@#$][\w-]+)\/(?=\w)/;

/**
 * The parts of a message that may occur in the code literally, longest first: its clauses, and each three words in a
 * row, because a value may be filled in anywhere and a literal may go on in the next line. Quoted text, numbers and paths
 * are removed; the longest quoted text of two words or more is kept, because a message can be a field of JSON.
 */
export function messageParts(text: string): string[] {
  const said = saidIn(text) ?? messageIn(text);
  // Lines of a log may precede the message.
  const own = said
    .slice(Math.max(0, said.search(errorName)))
    .slice(0, messageLimit)
    .replace(errorName, "");
  const clauses = own
    .split(filledIn)
    .flatMap((part) => part.split(/:\s+|[.!?;]\s+|\s+--?\s+/))
    .map((part) => part.replace(/^[\s\p{P}]+|[\s\p{P}]+$/gu, ""));
  const pieces = clauses.flatMap((clause) => {
    const words = clause.split(/\s+/);
    return [clause, ...words.slice(0, -2).map((_, index) => words.slice(index, index + 3).join(" "))];
  });
  const [quoted] = [...own.matchAll(/"([^"\n]*)"/g)]
    .map(([, one = ""]) => one.trim())
    .filter(isTelling)
    .toSorted((a, b) => b.length - a.length);
  const informative = [...pieces, quoted ?? ""].filter(isTelling);
  return [...new Set(informative)].toSorted((a, b) => b.length - a.length).slice(0, partLimit);
}

/** What code fills in: quoted text, numbers, paths; and the level of a log. An apostrophe is no quote. */
const filledIn =
  /[`"“”][^`"“”\n]*[`"“”]|(?<![\p{L}\p{N}])['‘][^'’\n]*['’](?![\p{L}\p{N}])|^\s*\[[^\]\n]*\]|\S*\d\S*|\S*\/\S*|\n/mu;

/** Whether a part has two words, one of them not everywhere, and enough letters to be rare. */
function isTelling(part: string): boolean {
  return /\S\s+\S/.test(part) && part.length >= 8 && contentWords(part).length > 0;
}

const partLimit = 40;

/** The prefix that a runtime adds to a message. */
const errorName =
  /^(?:(?:Uncaught |Caused by: |\[?cause\]?: )?[\w$.]*(?:Error|Exception|[a-z][A-Z]\w*)(?: \[\w+\])?: |terminate called after throwing .*|Aborted .*|Segmentation fault.*|[ \t]*what\(\):[ \t]+)/gm;

/**
 * The message that a sentence is about: in "why does it say it did not start", "i get: …", "the log says “…”", "[error] …
 * why?".
 */
function saidIn(text: string): string | undefined {
  const start = text.slice(0, messageLimit);
  if (logStart.test(start)) return text;
  const quoted = quotedMessage.exec(start)?.slice(1) ?? [];
  const said = quoted.find((one) => one !== undefined) ?? announced.exec(start)?.[1];
  const isOpen = /^(?:any|reason)$/.test(askedFor(start)) && (/^\s*(?:why|I)\b/i.test(start) || !asking.test(start));
  if (said !== undefined || !isOpen) return said;
  return unmarked.exec(start.slice(0, saidLimit))?.[1];
}

const saying = String.raw`\b(?:says?|said|saying|gets?|got|getting|sees?|seeing|fails?|complains?|errors?|message)\b`;
const announcing = String.raw`(?:${saying}|\b(?:gives?|giving|shows?|showing|prints?|throws?|crash(?:es|ed)?|reports?|warnings?|log)\b)(?: \w+){0,3}`;
const announced = new RegExp(String.raw`${announcing}(?::\s+|\s*\n\s*)(\S+\s+\S[^]*)`, "i");
const quotedMessage = new RegExp(
  String.raw`(?:${announcing}|\bwhy|\bwhat does|\bmeaning of):?\s+(?:["“]([^"”\n]*\S\s+\S[^"”\n]*)["”]|'([^'\n]*\S\s+\S[^'\n]*)'(?!\w))`,
  "i",
);
const logStart =
  /^\s*(?:\[\w*(?:error|warn|fatal|fail)[^\]\n]*\]|\d[\d:.,-]*\s+(?:error|warn(?:ing)?|fatal)\b|(?:error|warn(?:ing)?|fatal|[\w$.]+(?:Error|Exception))(?:\[\w*\])?:)\s/i;
const unmarked = new RegExp(String.raw`${saying}(?: (?:with|that|is|was))?:?\s+((?:\S+\s+){2,}\S[^]*)`, "i");

/** In a longer text, a message is after a colon or in quotes. */
const saidLimit = 300;
const pathLimit = 200;
const messageLimit = 2000;

const rules: readonly (readonly [Intent, RegExp])[] = [
  // Not who uses what is chosen.
  ["definition", /^\W*where\b.*\b(?:decid\w*|chosen|chooses?|determin\w+|picked|picks)\b/i],
  [
    "callers",
    /\b(?:who|what|which \w+)(?: (?:in|inside|within) [^,;?]{1,40}?)? (?:calls?|uses?|imports?|invokes?)\b|\bcallers? of\b|\busages? of\b|\bwhere (?:(?:in|inside|within) [^,;?]{1,40} )?(?:is|are|do|does|did) [^,;]*\b(?:used?|call|called|invoked?|imports?|imported|tested)\b|\b(?:what|which) tests? (?:call|cover|test|use)s?\b/i,
  ],
  ["usage", /\bhow (?:do|can|should|would) (?:I|you|we|one|users?|people)\b|\bhow to\b|\bexamples?\b|\busage\b/i],
  [
    "listing",
    /^\s*(?:which(?! (?:code|function|method|class|file|module|type|line|part|place)\b)|list)\b|^\s*what \w+s (?:are|does|do|can|exist)\b|\b(?:all|list of) the\b/i,
  ],
  ["reason", /^\s*why\b|\bwhy\W*$|\breasons? (?:for|why)\b/i],
  ["definition", /^\s*(?:where|what(?:'s| is| are| does| can| may))\b|\bdefin(?:e|ed|es|ition)\b/i],
];

/** Whether the text is pasted output of a program: several words, but neither a question nor a request. */
function isMessage(text: string): boolean {
  const words = text.trim().split(/\s+/);
  const isLong = words.length >= 4 || /^[\w.]+ [\w ]+: \S/.test(text);
  const isAsked = /\?\s*$/.test(text) || asking.test(text) || (isPlain(text) && asksAtEnd.test(text));
  return isLong && !isAsked && !nounPhrase.test(text);
}

/** The message that a text begins with, if a question about it follows: "“a” not found. Any of: [b, c] - what is wrong?". */
function messageIn(text: string): string {
  const [, message = ""] = followed.exec(text.slice(0, messageLimit)) ?? [];
  return printed.test(message) && !asking.test(message) ? message : text;
}

const followed =
  /^\s*(\S+(?:\s+\S+){3,}?)(?:\s+[-–—]{1,2}\s+|[.!)\]]\s+|\s*\n\s*)(?:(?:and|but|so|my|I|we|it|is|does|do|can|any)\b[^\n]*\?+|(?:what|why|how|where|help)\b[^\n]*)\s*$/i;
/** What programs print: quoted values, lists, and words for what went wrong. */
const printed =
  /['"\x60“][^'"\x60”\n]+['"\x60”]|\[[^\]\n]+\]|\b(?:error|warning|fail(?:ed|ure)|can(?:no|['’])t|could not|(?:is|are|was|were|does|do|did) not|not found|invalid|unknown|unexpected|unable|missing|denied|refused)\b/i;

/** Whether a text is written as people write, without what programs print: quotes, colons, numbers, several lines. */
function isPlain(text: string): boolean {
  return /^\s*\p{Ll}[^\n:"`“=]*$/u.test(text) && !/\d|\.\s*$/.test(text);
}

/** A question after what it is about: "the file is gone, what happens". */
const asksAtEnd = /[,;]\s+(?:(?:and|but|so) )?(?:what|which|how|why|where|who|when|do|does|can|should)\b/i;

/** What is looked for, without a verb: "default load balancing policy", "stack size of the pool's threads". */
const nounPhrase =
  /^\s*(?:the )?(?:default|maximum|minimum|max|min|size|number)\b|^\s*\w+ (?:size|limit|default|timeout)s? (?:of|for|in)\b/;

/** Whether the text says what a reader wants to do: "turn off paging", "put /v1 in front of all routes". */
function isRequest(text: string): boolean {
  return request.test(text) && !/[\n:]|\.\s*$/.test(text.trim());
}

const request =
  /^\s*(?:please )?(?:add|allow|block|build|change|choose|close|compile|configure|connect|convert|copy|create|cut|delete|deploy|disable|download|enable|exclude|export|filter|force|hide|ignore|import|include|increase|install|keep|let|limit|load|log|loop|make|merge|move|open|pass|print|put|reduce|remove|rename|replace|run|save|send|serve|set|skip|sort|start|stop|store|turn|update|upload|use|wait|write) (?:\S+ )+\S+/;

const asking =
  /^\s*(?:@\S+\s+)*(?:please\s+)?(?:what|how|why|where|when|which|who|whose|whom|is|are|was|were|does|do|did|can|could|should|would|will|has|have|and|explain|show|describe|compare|list|tell|find|give|summari[sz]e|search|look|I)\b/i;

function isFileName(token: string): boolean {
  return /^[\w@[\]+-][\w@.[\]+-]*\.\w+$/.test(token) && languageOf(token).tag !== "text" && !isMemberInCapitals(token);
}
