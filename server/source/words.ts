/**
 * Makes words of questions, prose and identifiers comparable: `parseURLPath`, `parse_url_path` and "parsing URL paths"
 * have the same three stems.
 */

/** Splits an identifier into lower-case words: `parseHTTP2Header_v1` into parse, http2, header, v1. */
export function splitIdentifier(identifier: string): string[] {
  if (/^[a-z]+$/.test(identifier)) return [identifier];
  const parts = identifier.match(/\p{Lu}+(?!\p{Ll})\d*|\p{Lu}?[\p{Ll}\p{Lm}\p{Lo}\p{M}]+\d*|\d+/gu) ?? [];
  return parts.map((part) => part.toLowerCase());
}

/**
 * Removes plural, tense and agent endings (`parsers`, `parsing`, `parsed` → `pars`). A stem is not a word: stem both
 * sides of a comparison.
 */
export function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  const end = endless(word);
  return spellings.get(end) ?? end;
}

function endless(word: string): string {
  for (const [ending, replacement, kept] of endingsByLetter.get(word.slice(-1)) ?? []) {
    if (!word.endsWith(ending) || word.length - ending.length < kept) continue;
    return trimEnd(singleFinal(word.slice(0, -ending.length) + replacement));
  }
  return trimEnd(word);
}

/** The words of a question or text, including digits and underscores. */
export function wordsIn(text: string): string[] {
  return text.match(/[\p{L}\p{N}_$]+/gu) ?? [];
}

/** Drops stop words and single letters, unless nothing else remains; members such as `app.use` are kept. */
export function contentWords(text: string): string[] {
  const words = wordsIn(text);
  const members = new Set(memberPaths(text).flatMap(wordsIn));
  const content = words.filter(
    (word) => members.has(word) || !(stopWords.has(word.toLowerCase()) || /^\w$/.test(word)),
  );
  return content.length > 0 ? content : words;
}

/** Words written as code: `camelCase`, `snake_case`, in backticks, called(), a member expression. */
export function writtenNames(text: string): string[] {
  const quoted = [...text.matchAll(/`([^`\n]{2,80})`/g)].flatMap(([, code = ""]) => namesIn(code));
  const shaped = namesIn(text).filter((word) => /[^_]_[^_]|\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}/u.test(word));
  const called = [...text.matchAll(calledName)].map(([, name = ""]) => name);
  const members = memberPaths(text).map((path) => path.split(/[.#:]/).at(-1) ?? path);
  return [...new Set([...quoted, ...shaped, ...called, ...members])];
}

/** `app.use`, `Layer#match`, `std::move`, `express.json()`; not `package.json`. */
export function memberPaths(text: string): string[] {
  const paths = [...text.matchAll(memberPath)];
  return paths.filter(({ 0: path, 1: call }) => call !== undefined || !isFileName(path)).map(([path]) => path);
}

// Both start at a word boundary: starting at each letter would take quadratic time for a very long word.
const calledName = /(?<![\p{L}\p{N}_$])([\p{L}_$][\p{L}\p{N}_$]*)\(\)/gu;
const memberPath = /(?<![\p{L}\p{N}_$])[\p{L}_$][\p{L}\p{N}_$]*(?:(?:\.|#|::)[\p{L}_$][\p{L}\p{N}_$]*)+(?=(\()?)/gu;

function isFileName(path: string): boolean {
  return fileEnding.test(path) && !isMemberInCapitals(path);
}

/** `ctx.JSON`, `c.HTML`: not a file, whose ending is in small letters, or whose whole name is in capitals. */
export function isMemberInCapitals(path: string): boolean {
  return /\p{Ll}[^./]*\.\p{Lu}+$/u.test(path);
}

const fileEnding =
  /\.(?:[cm]?[jt]sx?|jsonc?|mdx?|py|go|rs|ya?ml|toml|txt|html?|css|java|rb|hp?p?|cc?|cpp|cs|php|sh|com|org|io|net|e|g)$/i;

function namesIn(text: string): string[] {
  return text.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? [];
}

/** Words without information about the subject of a question. */
export const stopWords: ReadonlySet<string> = wordSet(`
  a about above after again all also am an and any are as at be because been before being below between both but by can
  cannot could did do does doesnt doing done dont during each either else ever every few for from further get gets give given go goes
  got had happen happened happening happens has have having he her here hers him his how however i if in into is isn isnt it
  its itself just know let like ll made make makes many may me might more most much must my need needs neither never no
  nor not now of off on once one only onto or other our ours out over own per please rather really s same say see seem she
  should show shown since so some somewhere such t tell than that the their them then there these they thing things this
  those though through thus to too under until up upon us use used uses using ve very via want was we well were what
  whatever whats when where wherever whether which while who whom whose why will with within without won would yes yet you your
`);

/** Words common to unrelated questions and commit titles; they weigh a third of other words. */
export const weakWords: ReadonlySet<string> = wordSet(`
  add adding allow allows avoid bad behavior behaviour better break broken bug call called calls case cases cause change
  changed changes check code correct correctly create current default define defined different differently ensure error
  exactly example exist exists explain feature file files find first fix fixed fixes function functions handle handled
  handles handling help implement implementation implemented improve improves incorrect instead introduce issue issues
  keep kind last lead library main method methods missing move multiple new object old option options package pass
  possible prevent problem proper properly provide reason remove removed rename replace report reported reports result
  return returned returns right run running second set sets source specific support supported supports type types update
  updated value values variable way ways work working works wrong
`);

/** Ending, replacement, and minimum length of the rest. The first match applies. */
const endings: readonly (readonly [ending: string, replacement: string, kept: number])[] = [
  ["izations", "", 3],
  ["ization", "", 3],
  ["ations", "", 3],
  ["ation", "", 3],
  ["ators", "", 3],
  ["ator", "", 3],
  ["ating", "", 3],
  ["ated", "", 3],
  ["ates", "", 3],
  ["ate", "", 3],
  ["izing", "", 4],
  ["izers", "", 4],
  ["izer", "", 4],
  ["ized", "", 4],
  ["izes", "", 4],
  ["ize", "", 4],
  ["ising", "is", 3],
  ["sses", "ss", 2],
  ["ies", "y", 2],
  ["ied", "y", 2],
  ["ings", "", 3],
  ["ing", "", 3],
  ["ed", "", 3],
  ["ches", "ch", 2],
  ["shes", "sh", 2],
  ["xes", "x", 2],
  ["ss", "ss", 2],
  ["us", "us", 2],
  ["is", "is", 2],
  ["iases", "ias", 2],
  ["ias", "ias", 2],
  ["s", "", 3],
];

/** Endings by last letter: most words match none. */
const endingsByLetter = new Map(
  [...new Set(endings.map(([ending]) => ending.slice(-1)))].map((letter) => [
    letter,
    endings.filter(([ending]) => ending.endsWith(letter)),
  ]),
);

/** `stopp` → `stop`. Keeps `ll`, `ss` and `zz`, which are common word ends, and `add`. */
function singleFinal(word: string): string {
  const last = word.at(-1);
  if (word.length < 4) return word;
  return last === word.at(-2) && last !== undefined && /[bdfgmnprt]/.test(last) ? word.slice(0, -1) : word;
}

/** Drops a final `e` and maps `y` to `i`: `parse` and `parsing`, `retry` and `retries`, `cookie` and `cookies`. */
function trimEnd(word: string): string {
  const end = word.length > 3 && word.endsWith("e") ? word.slice(0, -1) : word;
  return end.endsWith("i") ? `${end.slice(0, -1)}y` : end;
}

/** Irregular forms before their verbs, and British spellings before the American ones, which code mostly has; as stems. */
const spellings: ReadonlyMap<string, string> = new Map(
  `analyse analyze  armour armor  artefact artifact  authorise authorize  behaviour behavior  cancelled canceled
  catalogue catalog  categorise categorize  centre center  cheque check  colour color  customise customize
  defence defense  dialogue dialog  favour favor  favourite favorite  finalise finalize  flavour flavor  grey gray
  harbour harbor  honour honor  initialise initialize  labelled labeled  licence license  localise localize
  maximise maximize  memoise memoize  minimise minimize  modelled modeled  neighbour neighbor  normalise normalize
  offence offense  optimise optimize  organise organize  parameterise parameterize  prioritise prioritize
  programme program  randomise randomize  recognise recognize  sanitise sanitize  serialise serialize
  standardise standardize  summarise summarize  synchronise synchronize  theatre theater  tokenise tokenize
  built build  sent send  chosen choose  chose choose  written write  thrown throw  threw throw
  marshalled marshaled  signalled signaled  channelled channeled  fulfil fulfill  metre meter  fibre fiber
  emphasise emphasize  specialise specialize  stabilise stabilize  generalise generalize  capitalise capitalize
  deserialise deserialize  containerise containerize  judgement judgment  acknowledgement acknowledgment
  travelled traveled  utilise utilize  virtualise virtualize  visualise visualize`
    .split(/\s{2,}|\n/)
    .flatMap((pair) => pair.trim().split(" "))
    .flatMap((word, index, all) =>
      index % 2 === 0 ? [[endless(word), endless(all[index + 1] ?? word)] as const] : [],
    ),
);

function wordSet(words: string): Set<string> {
  return new Set(words.trim().split(/\s+/));
}
