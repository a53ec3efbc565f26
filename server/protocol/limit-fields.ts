/** A limit of a project, in words. */
export interface LimitField {
  /** The option of the command line that sets it. */
  flags: string;
  /** The meaning, as the help and the schema say it. */
  meaning: string;
  /** What is counted, in the table of the command line. */
  counted: string;
  /** Whether it may be a fraction. */
  isFraction?: boolean;
  /** Whether it is counted for each calendar month. */
  isMonthly?: boolean;
  /** The label on the web page. */
  title: string;
}

/** The name of a limit. */
export type LimitName = "running" | "questions" | "tokens" | "costUsd" | "resources" | "fetches" | "diskGb";

/** The limits of a project. Without zod, because the definitions of the command line have an option for each. */
export const limitFields: Readonly<Record<LimitName, LimitField>> = {
  running: {
    flags: "--running <number>",
    meaning: "questions at a time",
    counted: "running questions",
    title: "Questions at a time",
  },
  questions: {
    flags: "--questions <number>",
    meaning: "questions in a calendar month (UTC)",
    counted: "questions",
    isMonthly: true,
    title: "Questions a month",
  },
  tokens: {
    flags: "--tokens <number>",
    meaning: "tokens of models in a month",
    counted: "tokens",
    isMonthly: true,
    title: "Tokens a month",
  },
  costUsd: {
    flags: "--cost <usd>",
    meaning: "US$ for models in a month",
    isFraction: true,
    counted: "US$",
    isMonthly: true,
    title: "US$ a month",
  },
  resources: {
    flags: "--resources <number>",
    meaning: "registered resources",
    counted: "resources",
    title: "Resources",
  },
  fetches: {
    flags: "--fetches <number>",
    meaning: "fetches in an hour of the clock that people, agents and pushes request",
    counted: "fetches this hour",
    title: "Fetches an hour",
  },
  diskGb: {
    flags: "--disk <gb>",
    meaning: "GB on disk of the resources' snapshots",
    isFraction: true,
    counted: "GB on disk",
    title: "GB on disk",
  },
};

/** The names of the limits, in the order in which they are shown. */
export const limitNames: readonly LimitName[] = Object.keys(limitFields).filter(isLimitName);

function isLimitName(name: string): name is LimitName {
  return Object.hasOwn(limitFields, name);
}

/** A value for each limit. */
export function mapLimits<Value>(of: (name: LimitName) => Value): Record<LimitName, Value> {
  return {
    running: of("running"),
    questions: of("questions"),
    tokens: of("tokens"),
    costUsd: of("costUsd"),
    resources: of("resources"),
    fetches: of("fetches"),
    diskGb: of("diskGb"),
  };
}
