import { answerWords, fillIn, formatNumber, type Language } from "../../server/protocol/answer-words.ts";
import { citationStateWords } from "../../server/protocol/citation.ts";

/**
 * All text of the chat. `{0}` is replaced by a value. The host may translate it: it puts a bundle from English to
 * another language into the page, as JSON in `<script id="l10n">`.
 */
export const strings = {
  conversation: "Conversation",
  question: "Your question",
  answer: "Answer",
  answerOf: "Answer from {0}",
  loading: "Loading the conversation…",

  askPlaceholder: "Ask about your code and its dependencies",
  askLabel: "Question",
  askHelp: "Enter sends, Shift+Enter starts a new line, @ mentions a resource or a file, # a file, / lists commands.",
  send: "Send",
  stop: "Stop",
  stopHint: "Press Escape again to stop the answer.",
  tooLong: "The question is too long: {0} characters; the limit is {1}.",
  model: "Model: {0}. Choose another.",
  unknownModel: "Model",
  chooseModelHint: "Choose the model.",
  resources: "Selected for questions: {0}. Choose resources.",
  allResources: "All resources",
  someResources: "{0} resources",
  noResources: "No resources",
  unknownResources: "Resources",
  chooseResourcesHint: "Choose the resources to ask about.",
  attached: "Will be sent with the question: {0}",
  attachments: "Files for the question",
  attachedFile: "Added {0}.",
  addFile: "Add a file (#)",
  detach: "Remove {0}",
  suggestions: "Suggestions",
  suggestionCountOne: "1 suggestion",
  suggestionCount: "{0} suggestions",

  commandNew: "Start a new conversation",
  commandClear: "Close this conversation and start a new one",
  commandModel: "Choose the model",
  commandResources: "Choose the resources to ask about",
  commandAdd: "Add a resource",
  commandDependencies: "Add dependencies of this workspace",
  commandHistory: "Search earlier conversations",
  commandRecheck: "Check the citations again",
  commandCopy: "Copy the conversation",
  commandExport: "Export the conversation to a document",
  commandConnect: "Connect a model provider",

  edit: "Edit and ask again",
  editLabel: "Edit the question",
  editSend: "Ask again",
  cancel: "Cancel",
  retry: "Ask again",
  explain: "Explain with a model…",
  copyAnswer: "Copy answer",
  copyCode: "Copy code",
  copyAll: "Copy conversation",
  exportAll: "Export conversation",
  copied: "Copied",
  jumpToLatest: "Jump to latest",

  reasoning: "Reasoning",
  noOutput: "The output is not kept.",
  shortened: "… {0} more characters",

  snapshotSkippedOne: "1 file not searched",
  snapshotSkipped: "{0} files not searched",
  snapshotSkippedMore: "… {0} more",
  snapshotsNamed: "Read from {0}",
  snapshots: "Read from {0} resources",
  fetched: "fetched {0}",
  asItIsNow: "read in place",

  followUps: "Follow-up questions",

  times: "×{0}",
  // {0} file name and lines, {1} citation state, {2} path, {3} lines in words, {4} resource.
  chipLabel: "{0} {1}: citation of {2}, {3}, in {4}.",
  // The same, and {5} the reason for the state.
  chipLabelReason: "{0} {1}: citation of {2}, {3}, in {4}; {5}.",
  line: "line {0}",
  lineRange: "lines {0} to {1}",
  claimedLines: "The model cited {0}.",
  openHint: "Click to open, double-click to go there, Ctrl+click to open to the side",
  openHintMac: "Click to open, double-click to go there, ⌘+click to open to the side",
  previewLoading: "Reading the lines…",
  previewNone: "These lines cannot be shown.",
  recheck: "Check again",

  ...citationStateWords,
  ...answerWords,

  costTitle: "Prices: {0}",

  include: "Ask about {0} {1} as well",

  failedTitle: "The question could not be answered",
  connect: "Connect provider",
  chooseModel: "Choose model",
  restart: "Restart server",
  showLog: "Show log",
  addResource: "Add resource",
  addDependencies: "Add dependencies",
  chooseResources: "Choose resources",
  clearFetched: "Delete downloaded copies",
  manageTrust: "Manage trust",
  openConfig: "Open configuration",
  history: "Search history",
  newChat: "New chat",

  readyTitle: "Ask your code",
  readyText: "Answers come from the resources you chose, and each claim cites lines that you can open.",
  readyExamples: "For example",
  exampleStructure: "How is this project put together?",
  exampleResource: "@{0} What are the main parts, and how do they fit together?",
  exampleStart: "Where does this project start, and what does it export?",
  exampleDependencies: "What does this project depend on?",
  noResourcesTitle: "Choose what to ask about",
  noResourcesText: "A resource is a git repository, a folder, or a package. Citewell reads it at one fixed revision.",
  noKeyTitle: "Connect a model",
  noKeyText:
    "Without a key, answers are the passages that match best, with their citations. A model turns them into an explanation.",
  offlineTitle: "No network",
  offlineText: "No resource has been downloaded yet. Add a local folder, or ask again when the network is back.",
  untrustedTitle: "This workspace is not trusted",
  untrustedText:
    "Its own configuration is not read until you trust it. You can ask about the resources in your own configuration.",
  virtualTitle: "This is a virtual workspace",
  virtualText:
    "Citewell cannot read a virtual workspace, so you cannot ask about it. You can ask about the resources you configured.",
  configInvalidTitle: "The configuration cannot be read",
  configInvalidText: "Fix it and save it; it is reloaded at once.",
  serverFailedTitle: "The Citewell server stopped",
  serverFailedText: "The log says why. Your conversations are kept.",

  saidStarted: "Question sent.",
  saidReadingOne: "Reading 1 file.",
  saidReading: "Reading {0} files.",
  saidFetching: "Fetching {0}.",
} as const;

export type StringKey = keyof typeof strings;

/** Text of the interface in the user's language, with `{0}`, `{1}`… filled in. */
export function say(key: StringKey, ...values: readonly (string | number)[]): string {
  return translate(strings[key], ...values);
}

/** One text for exactly one thing, another for all other numbers. */
export function sayCount(one: StringKey, other: StringKey, count: number, ...values: readonly string[]): string {
  return say(count === 1 ? one : other, formatNumber(count, language), ...values);
}

/** `3 days ago`, from a time as ISO text. */
export function formatAge(time: string, now = Date.now()): string {
  const seconds = (Date.parse(time) - now) / 1000;
  const [unit, length] = ages.find(([, size]) => Math.abs(seconds) >= size) ?? ["second", 1];
  return new Intl.RelativeTimeFormat(locale, { numeric: "auto" }).format(Math.round(seconds / length), unit);
}

const ages = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const satisfies readonly (readonly [Intl.RelativeTimeFormatUnit, number])[];

const locale = document.documentElement.lang || undefined;
const translations = readTranslations();

/** The user's language. */
export const language: Language = { say: translate, locale };

function translate(sentence: string, ...values: readonly (string | number)[]): string {
  return fillIn(translations[sentence] ?? sentence, ...values);
}

function readTranslations(): Record<string, string> {
  const bundle: unknown = JSON.parse(document.getElementById("l10n")?.textContent || "{}");
  return Object.fromEntries(
    Object.entries(Object(bundle)).flatMap(([english, text]) => (typeof text === "string" ? [[english, text]] : [])),
  );
}
