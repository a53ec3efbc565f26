import {
  emptyConversation,
  endTurn,
  newTurn,
  type Outcome,
  receiveEvent,
  startTurn,
  type Turn,
} from "../../../client/conversation.ts";
import type { AskEvent, AskEventOf, SnapshotInfo, ToolState } from "../../../server/protocol/ask.ts";
import {
  type Citation,
  citationLabel,
  citationNote,
  formatCitewellUrl,
  isLinked,
} from "../../../server/protocol/citation.ts";

/** A question, the events of its answer, and what every client says about it. */
export interface AnsweredQuestion {
  question: string;
  events: readonly AskEvent[];
  outcome: Outcome;
  says: Said;
}

/** Sentences and names, as they are shown. */
export interface Said {
  tally: string;
  /** What the tally does not claim. */
  meaning?: string;
  making: readonly string[];
  /** How many calls of tools there were, and each with its result. */
  steps?: string;
  results?: readonly (readonly [title: string, result: string])[];
  /** What the sources are called, and where they are at another revision of their resource. */
  places?: readonly string[];
  /** The resources and revisions of the sources. */
  origins?: readonly string[];
  before?: readonly string[];
  configuration?: string;
  after?: string;
}

const verified = "Verified means that the text is there and was read in this run, not that the claim is true.";
const commit = "4c1f00dbeef0123456789abcdef0123456789abc";

const express: SnapshotInfo = {
  resource: "express",
  type: "npm",
  revision: "5.3.0+0123456789abcdef",
  label: "express 5.3.0, installed in node_modules",
  fetchedAt: null,
  fileCount: 17,
  skippedCount: 0,
};
const site: SnapshotInfo = {
  resource: "site",
  type: "git",
  revision: commit,
  label: `https://git.example/team/site at ${commit.slice(0, 7)} (main), fetched 3 days ago`,
  fetchedAt: null,
  stale: "fetched 3 days ago; the network cannot be reached",
  fileCount: 214,
  skippedCount: 0,
};

function cite(snapshot: SnapshotInfo, path: string, startLine: number, changes: Partial<Citation> = {}): Citation {
  const { resource, revision } = snapshot;
  return { id: "", resource, path, startLine, endLine: startLine + 4, state: "verified", revision, ...changes };
}

/** Another revision than the snapshot's. */
const retried = {
  revision: "1a2b3c4".padEnd(40, "0"),
  url: "https://git.example/team/site/commit/1a2b3c4",
  commit: { id: "1a2b3c4", subject: "Retry once more", date: "2023-03-05", author: "Bob" },
};

/** The text as the server writes it, and its citations at their ranges. */
function write(parts: readonly (string | Citation)[]): { text: string; citations: Citation[] } {
  let text = "";
  const citations: Citation[] = [];
  for (const part of parts) {
    const start = text.length;
    if (typeof part === "string") {
      text += part;
      continue;
    }
    const label = citationLabel(part);
    text += `${isLinked(part) ? `[${label}](${formatCitewellUrl(part)})` : label}${citationNote(part)}`;
    citations.push({ ...part, id: `c${citations.length + 1}`, textRange: { start, end: text.length } });
  }
  return { text, citations };
}

const time = { start: 1, end: 2 };

function found(title: string, metadata: Record<string, unknown>, output = "…"): ToolState {
  return { status: "completed", input: {}, title, output, metadata, time };
}

function pricing(total: number) {
  const costUsd = { input: total, output: 0, total };
  return { source: "list prices", modelKey: "anthropic/claude", ratesUsdPerMTokens: { input: 3, output: 15 }, costUsd };
}

interface Script {
  meta?: Partial<AskEventOf<"meta">>;
  reasoning?: string;
  tools?: readonly (readonly [tool: string, state: ToolState])[];
  parts: readonly (string | Citation)[];
  /** Undefined if the answer does not end by itself. */
  done?: Partial<AskEventOf<"done">>;
}

function eventsOf({ meta = {}, reasoning = "", tools = [], parts, done }: Script): AskEvent[] {
  const { text, citations } = write(parts);
  const traces = tools.map(([tool, state], index) => ({ callID: `t${index + 1}`, tool, state }));
  const snapshots = [express];
  return [
    {
      type: "meta",
      model: { provider: "anthropic", model: "claude" },
      resources: snapshots.map(({ resource }) => resource),
      collection: { key: "express", path: "" },
      snapshots,
      ...meta,
    },
    ...(reasoning === "" ? [] : [{ type: "reasoning.delta" as const, delta: reasoning }]),
    ...traces.flatMap((trace): AskEvent[] => [
      {
        type: "tool.updated",
        ...trace,
        state: {
          status: "running",
          input: {},
          time: { start: 1 },
          ...("title" in trace.state ? { title: trace.state.title } : {}),
        },
      },
      { type: "tool.updated", ...trace },
    ]),
    { type: "text.delta", delta: text, citations },
    ...(done === undefined ? [] : [{ type: "done" as const, text, reasoning, tools: traces, citations, ...done }]),
  ];
}

const router = cite(express, "lib/router.js", 10);
const limitMessage = "The limit of 2 steps (maxSteps) was reached: this is what had been read by then.";

/** Together they have everything that an answer may have. */
export const answeredQuestions: Readonly<Record<string, AnsweredQuestion>> = {
  verified: {
    question: "How are routes matched?",
    events: eventsOf({
      reasoning: "The router is in lib.",
      tools: [
        ["search", found("search “router”", { passages: 8 })],
        ["read", found("read lib/router.js", { lines: "1-40" })],
      ],
      parts: [
        "Routes are tried **in order** ",
        router,
        ", each by its `path`:\n\n- layers, ",
        cite(express, "lib/layer.js", 31, {
          state: "relocated",
          claimed: { startLine: 3, endLine: 7 },
          reason: "the quoted text is in lines 31-35, not 3-7",
        }),
        "\n- the router again, ",
        router,
        "\n",
      ],
      done: {
        usage: { inputTokens: 8120, outputTokens: 640, cacheReadTokens: 7000 },
        metrics: { timing: { totalMs: 12_340, genMs: 9000 }, pricing: pricing(0.0312) },
      },
    }),
    outcome: { status: "done" },
    says: {
      tally: "3 citations: 2 verified, 1 relocated.",
      meaning: verified,
      making: ["anthropic/claude", "12.3 s", "8,120 tokens in (7,000 cached), 640 out", "US$0.0312"],
      steps: "2 steps",
      results: [
        ["search “router”", "8 passages"],
        ["read lib/router.js", "lines 1-40"],
      ],
      origins: ["express 5.3.0"],
    },
  },
  "with faults": {
    question: "How does our site use express?",
    events: eventsOf({
      meta: {
        snapshots: [express, site],
        resources: ["express", "site"],
        unavailable: [{ resource: "svelte", tag: "RepositoryFailed", error: "the repository could not be reached" }],
        warnings: ["unknown field “modle” in citewell.config.jsonc"],
      },
      tools: [
        ["grep", found("grep “app.use”", { matches: 1, files: 1 })],
        ["read", { status: "error", input: { path: "lib/nope.js" }, error: "no such file: lib/nope.js", time }],
      ],
      parts: [
        "It calls `app.use` ",
        cite(site, "src/app.js", 7, { state: "not-read", reason: "lines 7-11 were not shown in this run" }),
        ", see ",
        cite(site, "src/none.js", 1, { state: "missing", reason: "no such file in site" }),
        " and ",
        cite(express, "lib/view.js", 1, { state: "mismatch", reason: "the quoted text is not in the file" }),
        ".",
      ],
      done: {
        usage: { totalTokens: 12 },
        metrics: { timing: { totalMs: 125_000, genMs: 9000 }, pricing: pricing(1.5) },
        evidence: "none",
      },
    }),
    outcome: { status: "done" },
    says: {
      tally: "3 citations: 1 not read in this run, 1 mismatch, 1 missing.",
      making: ["anthropic/claude", "2 min 5 s", "12 tokens", "US$1.50"],
      steps: "2 steps, 1 failed",
      results: [
        ["grep “app.use”", "1 match, 1 file"],
        ["read lib/nope.js", "failed"],
      ],
      origins: ["site · https://git.example/team/site at 4c1f00d", "express 5.3.0"],
      before: [
        "May be out of date: site – fetched 3 days ago; the network cannot be reached",
        "svelte was not read: the repository could not be reached",
      ],
      configuration: "Configuration: unknown field “modle” in citewell.config.jsonc",
    },
  },
  "from history": {
    question: "Since when is it retried, and why?",
    events: eventsOf({
      meta: { snapshots: [site], resources: ["site"] },
      parts: [
        "Since ",
        cite(site, "", 0, { ...retried, endLine: 0 }),
        "; before, it gave up ",
        cite(site, "src/app.js", 7, {
          ...retried,
          endLine: 7,
          state: "relocated",
          reason: "the quoted text is in line 7",
        }),
        ".",
      ],
      done: { metrics: { timing: { totalMs: 640, genMs: 0 } } },
    }),
    outcome: { status: "done" },
    says: {
      tally: "2 citations: 1 verified, 1 relocated.",
      meaning: verified,
      making: ["anthropic/claude", "640 ms"],
      places: ["site@1a2b3c4", "site@1a2b3c4:src/app.js:7"],
      origins: ["site · Retry once more · 2023-03-05 · Bob"],
    },
  },
  "without a model": {
    question: "Where is the licence?",
    events: eventsOf({
      meta: { model: { provider: "builtin", model: "extractive" } },
      tools: [["read", found("read LICENSE", {}, "no file LICENSE\nuse glob")]],
      parts: ["Nothing in express answers that."],
      done: { usage: { inputTokens: 0, outputTokens: 0 }, metrics: { timing: { totalMs: 640, genMs: 0 } } },
    }),
    outcome: { status: "done" },
    says: {
      tally: "No citations: nothing in this answer was checked against a source.",
      making: ["builtin/extractive", "640 ms"],
      steps: "1 step",
      results: [["read LICENSE", "no file LICENSE"]],
    },
  },
  "at a limit": {
    question: "What does every file do?",
    events: eventsOf({
      parts: ["The router ", router, " begins.\n\n> **Partial answer.** ", limitMessage],
      done: { stopped: { reason: "max-steps", message: limitMessage } },
    }),
    outcome: { status: "done" },
    says: {
      tally: "1 citation: 1 verified.",
      meaning: verified,
      making: ["anthropic/claude"],
      origins: ["express 5.3.0"],
    },
  },
  cancelled: {
    question: "And the tests?",
    events: eventsOf({ parts: ["They are beside ", router, "\n"] }),
    outcome: { status: "cancelled" },
    says: {
      tally: "1 citation: 1 verified.",
      making: [],
      origins: ["express 5.3.0"],
      after: "Stopped. The answer is partial; its citations were checked.",
    },
  },
  failed: {
    question: "Who calls it?",
    events: eventsOf({ parts: ["It is called by ", router, "\n"] }),
    outcome: { status: "failed", error: { error: "the provider closed the connection", tag: "ProviderFailed" } },
    says: {
      tally: "1 citation: 1 verified.",
      making: [],
      origins: ["express 5.3.0"],
      after: "The answer is partial; its citations were checked.",
    },
  },
};

/** The question as a client keeps it once its answer has ended. */
export function turnOf({ question, events, outcome }: AnsweredQuestion): Turn {
  const asked = newTurn({ id: "t1", question, askedAt: "2026-11-21T10:00:00.000Z" });
  const begun = startTurn(emptyConversation, asked);
  const [turn] = endTurn(events.reduce(receiveEvent, begun), outcome).turns;
  return turn ?? asked;
}
