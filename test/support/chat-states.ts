import type { ChatState, Turn } from "../../extension/webview/messages.ts";
import { emptyAnswer } from "../../server/protocol/ask.ts";
import type { Citation } from "../../server/protocol/citation.ts";
import { locateCitations } from "./locate-citations.ts";

const revision = "4c1f00dbeef00000000000000000000000000000";

/** An empty chat with two resources. */
export function chatState(changes: Partial<ChatState> = {}): ChatState {
  return {
    turns: [],
    model: { provider: "anthropic", model: "claude-sonnet", label: "Claude Sonnet" },
    resources: [
      { name: "express", type: "git", detail: "main@4c1f00d · 3 days" },
      { name: "zod", type: "npm", detail: "4.6.7" },
    ],
    selected: ["express", "zod"],
    attachments: [],
    followUps: [],
    welcome: "ready",
    settings: { showReasoning: true, showTools: true },
    ...changes,
  };
}

/** A question with an answer, complete by default. */
export function turn({
  answer,
  ...changes
}: Partial<Omit<Turn, "answer">> & { answer?: Partial<Turn["answer"]> } = {}): Turn {
  return {
    id: "t1",
    question: "How does routing work?",
    status: "done",
    ...changes,
    answer: { ...emptyAnswer, ...answer },
  };
}

/** A verified citation with defaults. */
export function citation(changes: Partial<Citation> & Pick<Citation, "id">): Citation {
  return {
    resource: "express",
    path: "lib/router.js",
    startLine: 10,
    endLine: 24,
    state: "verified",
    revision,
    ...changes,
  };
}

const writtenCitations = [
  `[lib/router.js:10-24](citewell:/express/lib/router.js?revision=${revision}#L10-L24)`,
  `[lib/layer.js:31-33](citewell:/express/lib/layer.js?revision=${revision}#L31-L33)`,
  `[lib/application.js:7](citewell:/express/lib/application.js?revision=${revision}#L7) (not read in this run)`,
  "lib/view.js:1-3 (mismatch: the quoted text is not in the file)",
  "lib/utils.js:900-910 (out of range: the file has 271 lines)",
  "lib/nowhere.js:1-2 (missing: no such file in express)",
] as const;

const [inRouter, inLayer, inApplication, inView, inUtils, nowhere] = writtenCitations;
const citedText = `Routes are kept in a stack of layers ${inRouter}.
Each layer matches a path ${inLayer}, and the
application makes the router when it is first needed ${inApplication}.

Views are found by name ${inView}, helpers are at
${inUtils}, and the rest in ${nowhere}.`;

const citations = [
  citation({ id: "c1" }),
  citation({
    id: "c2",
    path: "lib/layer.js",
    startLine: 31,
    endLine: 33,
    state: "relocated",
    claimed: { startLine: 28, endLine: 30 },
    reason: "the quoted text is in lines 31-33, not 28-30",
  }),
  citation({ id: "c3", path: "lib/application.js", startLine: 7, endLine: 7, state: "not-read" }),
  citation({
    id: "c4",
    path: "lib/view.js",
    startLine: 1,
    endLine: 3,
    state: "mismatch",
    reason: "the quoted text is not in the file",
  }),
  citation({
    id: "c5",
    path: "lib/utils.js",
    startLine: 900,
    endLine: 910,
    state: "out-of-range",
    reason: "the file has 271 lines",
  }),
  citation({
    id: "c6",
    path: "lib/nowhere.js",
    startLine: 1,
    endLine: 2,
    state: "missing",
    reason: "no such file in express",
  }),
];

/** One citation per state after a text, in the server's Markdown. */
function everyStateAfter(before: string): { text: string; citations: Citation[] } {
  const text = before + citedText;
  const written = citations.map((one, index) => [one, writtenCitations[index] ?? ""] as const);
  return { text, citations: locateCitations(text, written) };
}

/** One citation per state. */
export const everyState = everyStateAfter("");

const markdown = `## How a request travels

A request goes through the **stack** of the router, one layer after another. See [the guide](https://expressjs.com/en/guide/routing.html) and \`app.handle\`:

\`\`\`js
// Goes to the next layer that matches.
function next(error) {
  const layer = stack[index++];
  if (layer === undefined) return done(error, 42, "no more layers in the stack of this router, and so it ends here");
  return layer.match(path) ? layer.handle(request, response, next) : next(error);
}
\`\`\`

1. The path is matched.
2. Parameters are decoded:
   - by name
   - by position
3. The handler is called.

| step | where | what it does |
| :--- | :---: | ---: |
| match | \`Layer\` | compares the path with a regular expression |
| handle | \`Route\` | calls the handlers of the method |

> Errors skip all layers that take three arguments.

`;

const time = { start: 1, end: 2 };

/** An answer with every optional part. */
export const fullTurn: Turn = turn({
  attachments: [{ label: "router.js:10-24" }, { label: "layer.js" }],
  answer: {
    model: { provider: "anthropic", model: "claude-sonnet" },
    resources: ["express", "zod"],
    snapshots: [
      {
        resource: "express",
        type: "git",
        revision,
        label: "express main@4c1f00dbeef0",
        fetchedAt: "2026-11-18T00:00:00Z",
        stale: "fetched 3 days ago; the network cannot be reached",
        fileCount: 214,
        skippedCount: 2,
        skipped: [
          { path: "benchmarks/large.json", reason: "larger than 1 MB" },
          { path: "logo.png", reason: "binary" },
        ],
      },
      {
        resource: "zod",
        type: "npm",
        revision: "4.6.7",
        label: "zod 4.6.7, installed in node_modules",
        fetchedAt: null,
        fileCount: 80,
        skippedCount: 0,
      },
    ],
    unavailable: [{ resource: "svelte", tag: "RepositoryFailed", error: "the repository could not be reached" }],
    reasoning: "The question is about routing, so I look for the router first.",
    tools: [
      {
        callID: "1",
        tool: "search",
        state: {
          status: "completed",
          input: { query: "router" },
          output: "lib/router.js\n10 function router() {}",
          title: "search “router”",
          metadata: { passages: 8 },
          time,
        },
      },
      {
        callID: "2",
        tool: "read",
        state: {
          status: "completed",
          input: { path: "lib/router.js" },
          output: "1 a\n2 b",
          title: "read lib/router.js:1-40",
          metadata: { lines: "1-40" },
          time,
        },
      },
      {
        callID: "3",
        tool: "read",
        state: { status: "error", input: { path: "lib/nope.js" }, error: "no such file: lib/nope.js", time },
      },
    ],
    ...everyStateAfter(markdown),
    usage: { inputTokens: 8120, outputTokens: 640 },
    metrics: {
      timing: { totalMs: 12_340, genMs: 9000 },
      pricing: {
        source: "prices of 2026-11-01",
        modelKey: "anthropic/claude-sonnet",
        ratesUsdPerMTokens: { input: 3, output: 15 },
        costUsd: { input: 0.02, output: 0.01, total: 0.0312 },
      },
    },
  },
});

const runningTurn = turn({
  id: "t2",
  question: "And which tests cover it?",
  status: "running",
  answer: {
    ...fullTurn.answer,
    unavailable: [],
    text: "The router is covered by",
    citations: [],
    tools: [
      ...fullTurn.answer.tools.slice(0, 2),
      {
        callID: "4",
        tool: "grep",
        state: {
          status: "running",
          input: { pattern: "describe" },
          title: "grep “describe('Router'”",
          time: { start: 1 },
        },
      },
    ],
  },
});

/** Every visually distinct state of the chat, by name. */
export const chatStates = {
  ready: chatState(),
  "no-resources": chatState({ welcome: "no-resources", resources: [], selected: [] }),
  "no-key": chatState({
    welcome: "no-key",
    model: { provider: "builtin", model: "extracts", label: "Passages, no model" },
    problem: { error: "no provider is connected", tag: "ProviderNotConnected" },
  }),
  offline: chatState({
    welcome: "offline",
    problem: { error: "openrouter.ai could not be reached", tag: "ServerUnreachable", hint: "check the network" },
  }),
  untrusted: chatState({ welcome: "untrusted" }),
  virtual: chatState({ welcome: "virtual" }),
  starting: withoutModel(chatState({ resources: [] })),
  "config-invalid": chatState({
    welcome: "config-invalid",
    problem: {
      error: "~/.config/citewell/citewell.config.jsonc: resources[0].url is missing (line 3)",
      tag: "ConfigInvalid",
      hint: "write the address of the repository",
    },
  }),
  "server-failed": chatState({
    welcome: "server-failed",
    problem: { error: "the server stopped with exit code 1", tag: "ServerFailed", hint: "the log has the reason" },
  }),
  answered: chatState({
    turns: [fullTurn],
    selected: ["express"],
    attachments: [
      { label: "retry.ts:10-20", path: "src/retry.ts" },
      { label: "a-file-with-a-rather-long-name.ts", path: "src/a-file-with-a-rather-long-name.ts" },
    ],
    followUps: ["Who calls `next`?", "Where is `next` tested?", "How does `handleRequestOfTheLastRoute` work?"],
  }),
  running: chatState({ turns: [fullTurn, runningTurn] }),
  failed: chatState({
    turns: [
      turn({
        status: "failed",
        error: {
          error: "anthropic is not connected",
          tag: "ProviderNotConnected",
          hint: "connect it, or choose another model",
        },
      }),
    ],
  }),
  "failed-with-server": chatState({
    turns: [turn({ status: "failed", error: { error: "the server stopped", tag: "ServerFailed" } })],
    welcome: "server-failed",
  }),
  cancelled: chatState({ turns: [turn({ status: "cancelled", answer: { text: "Routes are kept in" } })] }),
  stopped: chatState({
    turns: [
      turn({
        answer: {
          text: "Routes are kept in",
          stopped: { reason: "max-cost", message: "the answer reached US$0.10, the most that one may cost" },
        },
      }),
    ],
  }),
} satisfies Record<string, ChatState>;

/** The state before the first message from the server. */
function withoutModel({ model: _model, ...state }: ChatState): ChatState {
  return state;
}

/** The names of `chatStates`, for `test.each`. */
export const chatStateNames = [
  "ready",
  "no-resources",
  "no-key",
  "offline",
  "untrusted",
  "starting",
  "config-invalid",
  "server-failed",
  "answered",
  "running",
  "failed",
  "failed-with-server",
  "cancelled",
  "stopped",
] as const satisfies readonly (keyof typeof chatStates)[];
