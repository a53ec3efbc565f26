/**
 * What clients say about an answer, in English. `{0}` is replaced by a value. The sentence is the key of its translation
 * (`scripts/l10n.ts`).
 */
export const answerWords = {
  thinking: "Thinking…",
  working: "Working…",
  writing: "Writing…",

  stepOne: "1 step",
  steps: "{0} steps",
  stepFailedOne: "1 step, {1} failed",
  stepsFailed: "{0} steps, {1} failed",
  failed: "failed",
  running: "running",
  lines: "lines {0}",

  mayBeStale: "May be out of date:",
  unavailable: "{0} was not read:",
  configuration: "Configuration:",
  cancelled: "Stopped. The answer is partial; its citations were checked.",
  cancelledEmpty: "Stopped before an answer arrived.",
  failedPartly: "The answer is partial; its citations were checked.",
  failedEmpty: "The question failed before an answer arrived.",
  emptyAnswer: "The model gave no answer.",

  sources: "Sources",
  citationsNone: "No citations: nothing in this answer was checked against a source.",
  citationOne: "1 citation: {1}.",
  citations: "{0} citations: {1}.",
  countOfState: "{0} {1}",
  verifiedMeans: "Verified means that the text is there and was read in this run, not that the claim is true.",

  code: "Code",
  codeIn: "Code, {0}",
  table: "Table",
  image: "Image, not loaded: {0}",

  milliseconds: "{0} ms",
  seconds: "{0} s",
  minutes: "{0} min {1} s",
  tokensInOut: "{0} tokens in, {1} out",
  // {0} input tokens, {1} those that came from the cache, {2} output tokens.
  tokensCachedInOut: "{0} tokens in ({1} cached), {2} out",
  tokens: "{0} tokens",
  cost: "US${0}",

  saidDone: "Answer complete. {0}",
  saidStopped: "Answer stopped.",
  saidFailed: "The answer failed: {0}",
} as const;

/** The language that a client writes in. */
export interface Language {
  /** A sentence of the table in that language, its values filled in. */
  say(english: string, ...values: readonly (string | number)[]): string;
  /** How numbers and lists are written, as BCP 47 names it; undefined is the platform's own way. */
  locale: string | undefined;
}

/** What the terminal, the web pages and other agents read. */
export const english: Language = { say: fillIn, locale: "en" };

/** Puts values in the places of a sentence: `{0}`, `{1}`… */
export function fillIn(sentence: string, ...values: readonly (string | number)[]): string {
  return sentence.replace(/\{(\d)\}/g, (_, index: string) => String(values[Number(index)]));
}

/** `1,234,567`. */
export function formatNumber(value: number, { locale }: Language): string {
  return value.toLocaleString(locale);
}

/** `a, b, c`. */
export function joinList(items: readonly string[], { locale }: Language): string {
  return new Intl.ListFormat(locale, { type: "unit" }).format(items);
}
