import { describe, expect, test } from "vitest";
import { type AgentEvent, type AgentOptions, runAgent } from "../../../../server/agent/agent.ts";
import { createLedger } from "../../../../server/citations/citations.ts";
import { silentLog } from "../../../../server/lib/log.ts";
import { noData, type ToolData } from "../../../../server/protocol/tool-data.ts";
import { answerWithExtracts } from "../../../../server/providers/builtin/extractive.ts";
import { createRetrieval, type Retrieval } from "../../../../server/retrieval/retrieval.ts";
import { askBuiltin } from "../../../support/ask-builtin.ts";
import { fixture } from "../../../support/fixture.ts";

/** A whole run of the agent with this model; its calls as text. */
async function ask(
  ...run: Parameters<typeof askBuiltin>
): Promise<{ text: string; reasoning: string; calls: string[] }> {
  const { text, reasoning, calls } = await askBuiltin(...run);
  return { text, reasoning, calls: calls.map(({ tool, input }) => `${tool} ${JSON.stringify(input)}`) };
}

/** The headings of the extracts: number, reason and marker. */
async function check(source: string, question: string, expected: string[]): Promise<void> {
  const { text } = await ask([fixture(source.trimStart())], question);
  expect(text.split("\n").filter((line) => /^(?:\*\*\d|Also there,)/.test(line))).toEqual(expected);
}

const retry = fixture(
  `
//- README.md
# Retry

Retries a request.

## Delays

Each attempt waits twice as long as the one before.
//- src/retry.ts
import { wait } from "./wait.ts";

/** Tries again until it works. */
export async function retry(attempt: () => Promise<void>): Promise<void> {
  for (let count = 0; count < 5; count++) {
    await attempt();
    await wait(delayFor(count));
  }
}

function delayFor(count: number): number {
  return 2 ** count;
}
`.trimStart(),
);

describe("the answer", () => {
  test("names the package that has the code after the first extract, which only exports it", async () => {
    const source = `
//- lib/shop.js
const bodies = require("bodies");

/** Reads the bodies of requests as JSON. */
exports.json = bodies.json;
//- lib/reply.js
/** Sends JSON, with the options of the shop. */
exports.reply = function reply(shop, value) {
  const options = shop.json;
  return options.spaces === undefined ? JSON.stringify(value) : JSON.stringify(value, null, options.spaces);
};
`;
    const { text } = await ask([fixture(source.trimStart())], "which options does shop.json take?");
    const said = "`bodies` comes from the package `bodies` [[demo:lib/shop.js#L1]], which is not among the resources.";
    expect(text).toContain(said);
    expect(text.indexOf(said)).toBeLessThan(text.indexOf("**2.**"));
  });

  test("is labelled, gives reasons, cites, and quotes the lines unchanged", async () => {
    const { text } = await ask([retry], "what does `delayFor` return?");
    expect(text).toMatchInlineSnapshot(`
      "Extracts, not an explanation: the lines that match the question best.

      **1.** defines \`delayFor\`: [[demo:src/retry.ts#L11-L13]]

      \`\`\`ts
      function delayFor(count: number): number {
        return 2 ** count;
      }
      \`\`\`
      "
    `);
  });

  test("shows the definition where one is asked for, before what else search has found", () =>
    check(
      `
//- src/app.js
app.use(handle);
app.handle = function handle(req) {
  return req;
};
//- docs/app.md
# Handlers
A handler takes a request: handle(req).
`,
      "where is handle defined?",
      ["**1.** defines `handle`: [[demo:src/app.js#L2-L4]]", "**2.** documents “Handlers”: [[demo:docs/app.md#L1-L2]]"],
    ));

  test("names what holds most words of the question, not a definition beside it that has one", () =>
    check(
      `
//- src/server.ts
function pair(header) {
  const [known, session] = parts(header);
  // It is taken when known.
  return session;
}
class BaseServer {
  port = 1;
}
`,
      "where does the server take the known session from the header?",
      ["**1.** defines `pair`, matches “server”, “known”, “session”, “header”: [[demo:src/server.ts#L1-L8]]"],
    ));

  test("puts documents first where usage is asked for", () =>
    check(
      `
//- src/app.js
export function addRoute(path) {
  return path;
}
//- docs/routes.md
# Add a route
Call addRoute with a path.
`,
      "how do I add a route?",
      [
        "**1.** documents “Add a route”: [[demo:docs/routes.md#L1-L2]]",
        "**2.** defines `addRoute`: [[demo:src/app.js#L1-L3]]",
      ],
    ));

  test("shows of a long definition the part that fits", () =>
    check(
      `
//- src/long.ts
export function start() {
${Array.from({ length: 50 }, (_, n) => `  step${n}();`).join("\n")}
  // The timeout is doubled, up to a minute.
  timeout = Math.min(timeout * 2, minute);
${Array.from({ length: 50 }, (_, n) => `  step${n}();`).join("\n")}
}
`,
      "how is the timeout doubled?",
      ["**1.** in `start`, matches “timeout”, “doubled”: [[demo:src/long.ts#L1]], [[demo:src/long.ts#L49-L54]]"],
    ));

  test("begins at the beginning when nothing in particular is asked", () =>
    check("//- README.md\n# Demo\nA demo.\n//- src/a.ts\nexport const what = 1;\n", "what is this?", [
      "**1.** what it is, in `README.md`: [[demo:README.md#L1-L2]]",
    ]));

  test("shows something of each resource that the question names", async () => {
    const one = fixture("//- a.ts\nexport function parseOne() {}\n", { resource: "one" });
    const two = fixture("//- a.ts\nexport function parse() {}\n", { resource: "two" });
    const { text } = await ask([one, two], "compare how one and two parse");
    expect(text.match(/\[\[.*?:/g)).toEqual(["[[one:", "[[two:"]);
  });

  test("quotes fences within a longer fence, and a path with brackets as the tool printed it", async () => {
    const guide = fixture("//- docs/[id].md\n# Retry\n\n```ts\nretry();\n```\n");
    const { text } = await ask([guide], "how do I retry?");
    expect(text).toMatchInlineSnapshot(`
      "Extracts, not an explanation: the lines that match the question best.

      **1.** documents “Retry”: [[demo:docs/%5Bid%5D.md#L1-L5]]

      \`\`\`\`markdown
      # Retry

      \`\`\`ts
      retry();
      \`\`\`
      \`\`\`\`
      "
    `);
  });

  test("says so when nothing fits, and what was searched", async () => {
    const { text, calls } = await ask([retry], "deploy to kubernetes");
    expect({ text, calls }).toMatchInlineSnapshot(`
      {
        "calls": [
          "search {"query":"deploy to kubernetes","limit":8,"tokens":6000}",
          "search {"query":"deploy to kubernetes","glob":"*.{md,mdx,markdown,rst,adoc,asciidoc,[1-8]}","limit":4,"tokens":6000}",
          "search {"query":"deploy","limit":4,"tokens":6000}",
          "search {"query":"kubernetes","limit":4,"tokens":6000}",
          "grep {"pattern":"deploy","regex":true,"ignoreCase":true,"limit":1}",
          "grep {"pattern":"kubernet","regex":true,"ignoreCase":true,"limit":1}",
        ],
        "text": "No match in demo for “deploy” or “kubernetes”. Try words that the code would use, the name of a function, or a file name.
      ",
      }
    `);
  });

  test("reports a noun that occurs nowhere, and no verb of the sentence", async () => {
    const { text } = await ask([retry], "How long is the delay before an attempt is queued on kubernetes?");
    expect(text.split("\n").slice(0, 3)).toEqual([
      "Extracts, not an explanation: the lines that match the question best.",
      "",
      "No match in demo for “kubernetes”.",
    ]);
  });

  test("takes an unknown name for one that is a letter or two off, and says so", async () => {
    const { text } = await ask([retry], "what is delyFor?");
    expect(text).toContain("“delyFor” was not found; `delayFor` is the nearest name.\n");
    expect(text).toContain("**1.** defines `delayFor`: [[demo:src/retry.ts#L11-L13]]\n");
    expect(text).not.toContain("No extract mentions");
  });

  test("finds a document that much code outranks", async () => {
    const code = Array.from(
      { length: 12 },
      (_, index) =>
        `//- src/add-provider-${index}.ts\nexport function addProvider${index}() {\n  return provider;\n}\n`,
    );
    const page = "//- docs/guide.md\n# Adding a provider\n\nWrite a row into the table of providers.\n";
    const { text } = await ask([fixture(`${code.join("")}${page}`)], "How do I add a provider?");
    expect(text).toContain("documents “Adding a provider”: [[demo:docs/guide.md#L1-L3]]");
  });

  test("does not ask who uses what is only the nearest there is", async () => {
    const source = '//- src/acme.ts\nexport const acme = join("dist");\n//- src/run.ts\nrun(acme("x"), acme("y"));\n';
    const { text } = await ask([fixture(source)], "Does Acme support Bluetooth printers?");
    expect(text).toMatch(/^No match in demo for “Bluetooth” or “printers”\. The closest lines mention “Acme”:/);
    expect(text).not.toContain("uses `acme`");
  });

  test("says so when only a part fits", async () => {
    const { text } = await ask([retry], "which regex validates the postal address before an attempt?");
    expect(text).toMatchInlineSnapshot(`
      "No match in demo for “regex”, “validates”, “postal” or “address”. The closest lines mention “attempt”:

      **1.** documents “Delays”: [[demo:README.md#L5-L7]]

      \`\`\`markdown
      ## Delays

      Each attempt waits twice as long as the one before.
      \`\`\`

      **2.** defines \`retry\`, matches “attempt”: [[demo:src/retry.ts#L3-L9]]

      \`\`\`ts
      /** Tries again until it works. */
      export async function retry(attempt: () => Promise<void>): Promise<void> {
        for (let count = 0; count < 5; count++) {
          await attempt();
          await wait(delayFor(count));
        }
      }
      \`\`\`
      "
    `);
  });
});

describe("what kind of answer is asked for", () => {
  const message = `
//- src/read.ts
export function open(path: string) {
  return readLines(path, 1);
}

function readLines(path: string, line: number) {
  if (line > total) {
    throw new RangeError("the file ends with line " + total + "; there is no line " + line);
  }
}
//- src/lines.ts
export const fileEnds = "where a file ends, the last line";
//- test/read.test.ts
expect(open("a.txt")).toThrow("the file ends with line 3; there is no line 4");
`;

  test("a message that is pasted: where it is thrown", () =>
    check(message, "the file ends with line 7; there is no line 9", [
      "**1.** throws “the file ends with line”, in `readLines`: [[demo:src/read.ts#L5-L9]]",
    ]));

  test("what is filled into a message need not be where it was", () =>
    check(
      '//- src/check.py\ndef check(name):\n    raise ValueError(f"error: {name} produced invalid code")\n',
      "error: Black produced invalid code",
      ["**1.** throws “produced invalid code”, in `check`: [[demo:src/check.py#L1-L2]]"],
    ));

  test("a statement that no code prints is a description of a definition, which precedes documents", () =>
    check(
      "//- docs/cache.md\n# Cache\n\nIt reads the stored cache if the cache exists.\n//- src/cache.ts\n// Reads the stored cache if it exists.\nexport function readCache(file: string) {\n  return exists(file) ? stored(file) : undefined;\n}\n",
      "Read the stored cache if it exists",
      [
        "**1.** defines `readCache`: [[demo:src/cache.ts#L1-L4]]",
        "**2.** documents “Cache”: [[demo:docs/cache.md#L1-L3]]",
      ],
    ));

  const trace = fixture(
    `
//- lib/parse.ts
export function parse(text: string) {
  return check(text.trim());
}
//- lib/check.ts
import { NotFound } from "./errors.ts";

export function check(text: string) {
  const parts = text.split(",");
  const one = parts[0];
  const two = parts[1];
  if (two === undefined) throw new NotFound(one);
  return [one, two];
}
//- lib/errors.ts
export class NotFound extends Error {
  constructor(name: string) {
    super("nothing comes after " + name + " in the text");
  }
}
//- node/parse.ts
export const parse = JSON.parse;
`.trimStart(),
  );

  test("a stack trace: the lines that it names, innermost first, and where the message is made", async () => {
    const { text } = await ask(
      [trace],
      `What is wrong?
NotFound: nothing comes after a in the text
    at check (/srv/app/lib/check.ts:7:34)
    at parse (/srv/app/lib/parse.ts:2:10)
    at run (/srv/app/lib/parse.ts:40:1)
    at use (/srv/app/node_modules/other/lib/errors.ts:1:1)`,
    );
    expect(text).toMatchInlineSnapshot(`
      "Extracts, not an explanation: the lines that the trace names.

      The resources do not contain these files of the trace: \`/srv/app/node_modules/other/lib/errors.ts\`.

      The trace is from another version: \`lib/parse.ts\` has no line 40.

      **1.** line 7, in \`check\`: [[demo:lib/check.ts#L3-L9]]

      \`\`\`ts
      export function check(text: string) {
        const parts = text.split(",");
        const one = parts[0];
        const two = parts[1];
        if (two === undefined) throw new NotFound(one);
        return [one, two];
      }
      \`\`\`

      **2.** line 2, in \`parse\`: [[demo:lib/parse.ts#L1-L3]]

      \`\`\`ts
      export function parse(text: string) {
        return check(text.trim());
      }
      \`\`\`

      **3.** throws “nothing comes after”, in \`constructor\`: [[demo:lib/errors.ts#L1-L5]]

      \`\`\`ts
      export class NotFound extends Error {
        constructor(name: string) {
          super("nothing comes after " + name + " in the text");
        }
      }
      \`\`\`
      "
    `);
  });

  test("a stack trace of other files is a message", () =>
    check(message, "RangeError: the file ends with line 7\n    at readLines (/srv/elsewhere.js:1:2)", [
      "**1.** throws “the file ends with line”, in `readLines`: [[demo:src/read.ts#L5-L9]]",
    ]));

  const callers = `
//- src/mask.ts
/** Hides what is secret. */
export function maskLine(line: string) {
  return line.replace(secret, "***");
}
//- src/show.ts
import { maskLine } from "./mask.ts";

export function show(lines: string[]) {
  const width = 80;
  return lines.map((line) => maskLine(line));
}
//- src/log.ts
import {
  maskLine,
} from "./mask.ts";

export function log(line: string) {
  console.log(maskLine(line));
}
`;

  test("who calls a function: each place, then the function, and no import", () =>
    check(callers, "Who calls maskLine?", [
      "**1.** uses `maskLine`, in `log`: [[demo:src/log.ts#L5-L7]]",
      "**2.** uses `maskLine`, in `show`: [[demo:src/show.ts#L3-L6]]",
      "**3.** defines `maskLine`: [[demo:src/mask.ts#L1-L4]]",
    ]));

  test("a name alone: what it is and where it is used", () =>
    check(callers, "maskLine", [
      "**1.** defines `maskLine`: [[demo:src/mask.ts#L1-L4]]",
      "**2.** uses `maskLine`, in `log`: [[demo:src/log.ts#L5-L7]]",
      "**3.** uses `maskLine`, in `show`: [[demo:src/show.ts#L3-L6]]",
    ]));

  const stores = `
//- src/use.ts
/** Reads with TextStore.read, TextStore.read and TextStore.read. */
export async function use(store: TextStore) {
  return TextStore.read(store);
}
//- src/text-store.ts
/** Keeps texts. */
export class TextStore {
${Array.from({ length: 60 }, (_, index) => `  step${index}() {}\n`).join("")}
  read(path: string) {
    return this.texts.get(path);
  }
}
//- src/page.ts
export class PageStore {
  read() {
    return page;
  }
}
//- src/store.go
func (s *Shelf) Read(path string) string {
  return s.texts[path]
}
func read(shelf Shelf) string {
  return Shelf.Read(shelf)
}
//- src/cache.h
struct Cache {
  /// How many at most.
  int limit;

  int size(
    bool all
  );
};
`;

  test.each(["TextStore.read", "what is TextStore.read", "TextStore#read", "where is TextStore::read defined?"])(
    "a member of something: its own definition first (%s)",
    async (question) => {
      const { text } = await ask([fixture(stores.trimStart())], question);
      expect(text.split("\n").filter((line) => line.startsWith("**1"))).toEqual([
        "**1.** defines `TextStore.read`: [[demo:src/text-store.ts#L2]], [[demo:src/text-store.ts#L64-L66]]",
      ]);
      expect(text).not.toContain("PageStore");
    },
  );

  test("how a member is used: what it belongs to is not read", async () => {
    const { calls } = await ask([fixture(stores.trimStart())], "how do I use TextStore.read?");
    expect(calls.filter((call) => call.includes('"regex":true'))).toEqual([]);
  });

  test("a method that names what it belongs to", async () => {
    const { text } = await ask([fixture(stores.trimStart())], "what is Shelf.Read");
    expect(text).toContain("**1.** defines `Shelf.Read`: [[demo:src/store.go#L1-L3]]\n");
  });

  test("a member without a body, in what it belongs to", async () => {
    const { text } = await ask([fixture(stores.trimStart())], "Cache::limit");
    expect(text).toContain("**1.** defines `Cache.limit`: [[demo:src/cache.h#L1-L8]]\n");
  });

  test("what something is: its definition, and not what only has its name in its own", () =>
    check(
      `
//- src/store.ts
/** Keeps what was read. */
export interface Store {
  read(): string;
}
//- src/options.ts
/** How a store is opened. */
export interface StoreOptions {
  store: Store;
}
`,
      "What is a Store?",
      ["**1.** defines `Store`: [[demo:src/store.ts#L1-L4]]"],
    ));

  test("a part of a compound is no name of its own: what has all of it comes first", () =>
    check(
      `
//- src/retry.ts
export interface Retry {
  delayMs: number;
}
//- src/headers.ts
/** What Retry-After asks for. */
export function retryAfterMs(headers: Headers) {
  return headers.get("retry-after");
}
`,
      "What does Retry-After do?",
      [
        "**1.** defines `retryAfterMs`: [[demo:src/headers.ts#L1-L4]]",
        "**2.** defines `Retry`: [[demo:src/retry.ts#L1-L3]]",
      ],
    ));

  test("what a term means: the section of that name before the code that uses it", () =>
    check(
      `
//- src/format.py
MAGIC_COMMA = "magic-comma"
//- docs/style.md
# Style

Lines are short.

## The magic comma

A comma at the end keeps a list on several lines.
`,
      "What is the magic comma?",
      [
        "**1.** documents “The magic comma”: [[demo:docs/style.md#L5-L7]]",
        "**2.** defines `MAGIC_COMMA`: [[demo:src/format.py#L1]]",
      ],
    ));

  test("a guide makes superfluous what has only a part of the words", () =>
    check(
      `
//- docs/providers.md
# Add a provider

To add a provider, write a row.
//- src/providers.ts
export interface Providers {
  list(): string[];
}
`,
      "How do I add a provider?",
      ["**1.** documents “Add a provider”: [[demo:docs/providers.md#L1-L3]]"],
    ));

  test("all there is of a kind: what lists it, and the list that is named so", () =>
    check(
      `
//- README.md
# Demo

A demo that asks a provider.

Providers: one, two, three.
//- src/list.ts
/** The supported providers. */
export function listProviders() {
  return all;
}
`,
      "Which providers are supported?",
      [
        "**1.** defines `listProviders`, matches “providers”: [[demo:src/list.ts#L1-L4]]",
        "**2.** documents “Demo”: [[demo:README.md#L1-L5]]",
      ],
    ));
});

test("what one file has stands together, before the next file", async () => {
  const far = Array.from({ length: 90 }, (_, index) => `const coin${index} = ${index};\n`).join("");
  const tree = `//- src/drawer.ts
/** Opens the drawer of the till. */
export function openDrawer() {}
${far}/** Locks the drawer of the till at night. */
export function lockDrawer() {}
//- src/night.ts
/** The drawer of the till at night. */
export const drawerAtNight = true;
`;
  const { text } = await ask([fixture(tree)], "how is the drawer of the till locked at night");
  const heads = text.split("\n").filter((line) => /^(?:\*\*\d|Also there,)/.test(line));
  expect(heads.map((line) => `${line.slice(0, 5)} ${/src\/\w+/.exec(line)?.[0]}`)).toEqual([
    "**1.* src/drawer",
    "Also  src/drawer",
    "**2.* src/night",
  ]);
});

describe("what is shown of a place", () => {
  test("of a long table the rows that fit, under their heading and head", async () => {
    const rows = Array.from({ length: 12 }, (_, index) => `| option${index} | says ${index} |`).join("\n");
    const page = `//- docs/options.md\n# Options\n\n| name | meaning |\n|---|---|\n${rows}\n| depth | how deep a tree is walked |\n`;
    const { text } = await ask([fixture(page)], "how deep is a tree walked?");
    expect(text).toContain(
      [
        "**1.** documents “Options”: [[demo:docs/options.md#L1-L4]], [[demo:docs/options.md#L17]]",
        "",
        "```markdown",
        "# Options",
        "",
        "| name | meaning |",
        "|---|---|",
        "…",
        "| depth | how deep a tree is walked |",
        "```",
      ].join("\n"),
    );
  });

  test("words in different rows of a long table are no answer", async () => {
    const rows = Array.from({ length: 8 }, (_, index) => `| option${index} | says ${index} |`).join("\n");
    const page = `//- docs/options.md\n# Options\n\n| name | meaning |\n|---|---|\n| tree | a |\n${rows}\n| walked | b |\n`;
    const { text } = await ask([fixture(page)], "which tree is walked in postal order by a regex?");
    expect(text).toContain("No match in demo for “postal”, “order” or “regex”. The closest lines mention “tree”:");
  });

  test("of a section that is named the beginning; no paragraph is torn", () =>
    check(
      `//- docs/guide.md\n# Delays\n\n${Array.from({ length: 12 }, (_, index) => `A delay, line one of ${index},\nand line two.\n`).join("\n")}`,
      "what are delays?",
      ["**1.** documents “Delays”: [[demo:docs/guide.md#L1-L13]]"],
    ));

  test("a heading with nothing under it is left out", async () => {
    const { text } = await ask(
      [fixture("//- a.md\n# Retry\n\n<a id='retry'></a>\n//- b.md\n# Waiting\n\nA retry waits.\n")],
      "what is a retry?",
    );
    expect(text).not.toContain("a.md");
  });

  test("at most five extracts, however much fits", async () => {
    const files = Array.from({ length: 8 }, (_, index) => {
      const steps = Array.from({ length: 24 }, (_, step) => `  retry(step${index}x${step});`).join("\n");
      return `//- src/retry${index}.ts\nexport function retryAll${index}() {\n${steps}\n}\n`;
    });
    const { text } = await ask([fixture(files.join(""))], "how does retry all work?");
    expect(text.match(/^\*\*\d+\.\*\*/gm)).toHaveLength(5);
    expect(text.split("\n").length).toBeLessThan(170);
  });
});

describe("a question about a file or a folder as a whole", () => {
  const tree = fixture(
    `
//- docs/map.md
# Map

- \`src/queue.ts\` holds the jobs.
- \`src/util/\` has what is used everywhere.
//- src/queue.ts
/** What waits to be done. The oldest first. */
export class Queue {
  /** Adds a job. */
  push(job: string) {
    this.jobs.push(job);
  }

  take() {
    return this.jobs.shift();
  }
}

${Array.from({ length: 24 }, (_, index) => `// ${index}`).join("\n")}

function idle() {
  return true;
}
//- src/util/age.ts
/** How old it is. */
export const age = 1;
//- src/util/age.test.ts
test("age", () => {});
//- src/util/deep/more.ts
export const more = 1;
`.trimStart(),
  );

  test("a file: its outline with what its comments say, each line a citation, and the documents that name it", async () => {
    const { text, calls } = await ask([tree], "What does queue.ts do?");
    expect(calls.filter((call) => !call.startsWith("search"))).toEqual([
      'glob {"pattern":"**/queue.ts"}',
      'outline {"resource":"demo","path":"src/queue.ts"}',
      'read {"resource":"demo","path":"src/queue.ts","startLine":1,"endLine":400}',
    ]);
    expect(text).toMatchInlineSnapshot(`
      "Extracts, not an explanation: what \`src/queue.ts\` defines, in its order, and what its comments say of it.

      - \`export class Queue\`: “What waits to be done.” [[demo:src/queue.ts#L2-L11]]
        - \`push(job: string)\`: “Adds a job.” [[demo:src/queue.ts#L4-L6]]
        - \`take()\` [[demo:src/queue.ts#L8-L10]]
      - \`function idle()\` [[demo:src/queue.ts#L38-L40]]

      Documents name it:

      **1.** documents “Map”: [[demo:docs/map.md#L1-L3]]

      \`\`\`markdown
      # Map

      - \`src/queue.ts\` holds the jobs.
      \`\`\`
      "
    `);
  });

  test("a short file: all of it", async () => {
    const { text } = await ask([tree], "what is in src/util/age.ts?");
    expect(text).toContain("**1.** the whole of `src/util/age.ts`: [[demo:src/util/age.ts#L1-L2]]");
  });

  test("a folder: how its files begin, tests last, and what is not looked into by name", async () => {
    const { text } = await ask([tree], "What is in src/util?");
    expect(text).toMatchInlineSnapshot(`
      "Extracts, not an explanation: what is in \`src/util\`, and how its files begin.

      - \`age.ts\`: \`age\`: “How old it is.” [[demo:src/util/age.ts#L1-L2]]
      - and \`deep/\`, \`age.test.ts\`

      Documents name it:

      **1.** documents “Map”: [[demo:docs/map.md#L1]], [[demo:docs/map.md#L4]]

      \`\`\`markdown
      # Map
      …
      - \`src/util/\` has what is used everywhere.
      \`\`\`
      "
    `);
  });

  test("says what does not exist", async () => {
    const { text } = await ask([tree], "Why is there no jobs/index.ts for the queue?");
    expect(text).toContain("There is no `jobs/index.ts`.");
  });
});

describe("how it looks things up", () => {
  test("in each of a few resources, without the names of the others", async () => {
    const other = fixture("//- a.ts\nexport const never = 1;\n", { resource: "waiter" });
    const { calls, reasoning } = await ask([retry, other], "does demo or @waiter double the delay?");
    expect({ calls, reasoning }).toMatchInlineSnapshot(`
      {
        "calls": [
          "search {"query":"does demo or double the delay?","resource":"demo","limit":8,"tokens":6000}",
          "search {"query":"does or double the delay?","resource":"waiter","limit":8,"tokens":6000}",
          "grep {"pattern":"doubl","regex":true,"ignoreCase":true,"limit":1}",
        ],
        "reasoning": "Looking for demo, double, delay in demo, waiter.


      Looking at whether the other words occur anywhere.
      ",
      }
    `);
  });

  test("in many resources at once", async () => {
    const many = ["a", "b", "c", "d", "e"].map((resource) => fixture("//- a.ts\nretry();\n", { resource }));
    expect((await ask(many, "retry")).calls).toMatchInlineSnapshot(`
      [
        "grep {"pattern":"^(?:[#=]{1,6}\\\\s+|\\\\s*[-*+]\\\\s+|\\\\s*\\\\|\\\\s*|\\\\s*<(?:dt|td|th|h\\\\d|li)[^>]*>\\\\s*|\\\\.(?:B|It|IP|SS|SH|TP)\\\\s+|\\\\.\\\\.\\\\s+[\\\\w:-]+::\\\\s+|//!\\\\s+[*-]\\\\s+)(?:<\\\\w+>)?[\\\\x60*_\\"'(\\\\[]{0,4}(?:-\\\\w, )?(?:--)?(?:[\\\\w$]+[.#:]+)*retry(?:\\\\(.{0,40}\\\\))?[\\\\x60*_\\"')\\\\]]{0,4}(?:</\\\\w+>)?[\\\\x60*]{0,2}\\\\s*(?:$|[|:=<({—–#-]|\\\\s{2}|\\\\]\\\\()","regex":true,"ignoreCase":true,"contextLines":24,"glob":"**/{*.md,*.mdx,*.markdown,*.rst,*.adoc,*.[1-8],*.html,lib.rs}"}",
        "search {"query":"retry","limit":16,"tokens":6000}",
        "search {"query":"retry","glob":"*.{md,mdx,markdown,rst,adoc,asciidoc,[1-8]}","limit":4,"tokens":6000}",
        "references {"name":"retry","limit":200}",
      ]
    `);
  });

  test("a name that is not defined where it was found is looked for everywhere", async () => {
    const source = "//- a.md\n# parseUrl\nparseUrl is used everywhere.\n";
    expect((await ask([fixture(source)], "what is parseUrl?")).calls).toMatchInlineSnapshot(`
      [
        "grep {"pattern":"^(?:[#=]{1,6}\\\\s+|\\\\s*[-*+]\\\\s+|\\\\s*\\\\|\\\\s*|\\\\s*<(?:dt|td|th|h\\\\d|li)[^>]*>\\\\s*|\\\\.(?:B|It|IP|SS|SH|TP)\\\\s+|\\\\.\\\\.\\\\s+[\\\\w:-]+::\\\\s+|//!\\\\s+[*-]\\\\s+)(?:<\\\\w+>)?[\\\\x60*_\\"'(\\\\[]{0,4}(?:-\\\\w, )?(?:--)?(?:[\\\\w$]+[.#:]+)*parseUrl(?:\\\\(.{0,40}\\\\))?[\\\\x60*_\\"')\\\\]]{0,4}(?:</\\\\w+>)?[\\\\x60*]{0,2}\\\\s*(?:$|[|:=<({—–#-]|\\\\s{2}|\\\\]\\\\()","regex":true,"ignoreCase":true,"contextLines":24,"glob":"**/{*.md,*.mdx,*.markdown,*.rst,*.adoc,*.[1-8],*.html,lib.rs}"}",
        "search {"query":"what is parseUrl?","limit":8,"tokens":6000}",
        "search {"query":"what is parseUrl?","glob":"*.{md,mdx,markdown,rst,adoc,asciidoc,[1-8]}","limit":4,"tokens":6000}",
        "grep {"pattern":"parseUrl","wholeWord":true,"limit":20,"contextLines":2}",
      ]
    `);
  });

  test("a question that needs the one before it is asked with it", async () => {
    const history = [{ question: "How does the retry wait?", answer: "It waits." }];
    expect((await ask([retry], "and where is that defined?", history)).calls[0]).toMatchInlineSnapshot(
      `"search {"query":"and where is that defined? retry wait","limit":8,"tokens":6000}"`,
    );
  });

  test("shortens a very long word", async () => {
    const long = "x".repeat(100_000);
    const { reasoning, text } = await ask([retry], `where is ${long}() defined?`);
    expect(`${reasoning}${text}`).toContain(`Looking for ${"x".repeat(59)}…, defined in demo.`);
    expect(`${reasoning}${text}`).toContain(`No match in demo for “${"x".repeat(59)}…”`);
    expect(`${reasoning}${text}`).not.toContain("x".repeat(60));
  });

  test("the time grows with the length of a run of punctuation, not with its square", async () => {
    const other = fixture("//- a.ts\nexport const never = 1;\n", { resource: "waiter" });
    const run = "!".repeat(400_000);
    const { text } = await ask([retry, other], `what does @demo${run}x and delayFor${run}x return?`);
    expect(text).toContain("defines `delayFor`");
  });

  test("the same question has the same answer", async () => {
    const question = "how long does a retry wait?";
    expect(await ask([retry], question)).toEqual(await ask([retry], question));
  });
});

const demo = { earlier: [], resources: [] };

/** The answer after one search that found this. */
function answerFrom(found: Partial<ToolData>, { isFailed = false } = {}): string[] {
  const answering = answerWithExtracts({ ...demo, question: "how does retry wait?", results: [] });
  answering.next([]);
  let turn = answering.next([{ tool: "search", input: {}, isFailed, ...noData, ...found }]);
  while (turn.done !== true) turn = answering.next([]);
  return [...turn.value.lines];
}

const passages = [{ resource: "demo", path: "a.ts", startLine: 1, lines: ["retry(wait);"] }];

describe("the steps", () => {
  test("the first looks the question up", () => {
    const answering = answerWithExtracts({ ...demo, question: "how does retry wait?", results: [] });
    expect(answering.next([])).toEqual({
      done: false,
      value: {
        thought: "Looking for retry, wait.\n",
        calls: [
          { tool: "search", input: { query: "how does retry wait?", limit: 8, tokens: 6000 } },
          {
            tool: "search",
            input: {
              query: "how does retry wait?",
              glob: "*.{md,mdx,markdown,rst,adoc,asciidoc,[1-8]}",
              limit: 4,
              tokens: 6000,
            },
          },
        ],
      },
    });
  });

  test("the last writes whole lines", () => {
    expect(answerFrom({ passages })).toEqual([
      "Extracts, not an explanation: the lines that match the question best.\n",
      "\n**1.** matches “retry”, “wait”: [[demo:a.ts#L1]]\n",
      "\n```ts\n",
      "retry(wait);\n",
      "```\n",
    ]);
  });

  test("a failed search is reported", () => {
    expect(answerFrom({}, { isFailed: true })[0]).toContain("did not finish in time");
  });

  test("an empty question has an answer", () => {
    const answering = answerWithExtracts({ ...demo, question: "", results: [] });
    let turn = answering.next([]);
    while (turn.done !== true) turn = answering.next([]);
    expect([...turn.value.lines].join("")).toContain("nothing was searched");
  });
});

/** The events of a run over `retry`, up to an error. */
async function run(options: Partial<AgentOptions>): Promise<{ events: AgentEvent[]; error: unknown }> {
  const events: AgentEvent[] = [];
  try {
    const all = runAgent({
      question: "how does retry wait?",
      snapshots: [retry],
      retrieval: createRetrieval(),
      ledger: createLedger(),
      model: "builtin",
      limits: { maxSteps: 10, providerTimeoutMs: 20_000 },
      signal: new AbortController().signal,
      log: silentLog,
      ...options,
    });
    for await (const event of all) events.push(event);
    return { events, error: undefined };
  } catch (error) {
    return { events, error };
  }
}

const statesIn = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === "tool.updated" ? [`${event.callID} ${event.state.status}`] : []));
const textIn = (events: readonly AgentEvent[]) =>
  events.map((event) => (event.type === "text.delta" ? event.delta : "")).join("");

describe("a run of the agent", () => {
  test("reports each call from beginning to end, and that it took no tokens", async () => {
    const { events } = await run({ question: "retry" });
    const states = statesIn(events);
    const [first] = states;
    expect(first).toBe("builtin-0-0 pending");
    const calls = new Set(states.map((state) => state.split(" ")[0]));
    for (const call of calls)
      expect(states.filter((state) => state.startsWith(`${call} `))).toEqual(
        ["pending", "running", "completed"].map((status) => `${call} ${status}`),
      );
    expect(events.at(-1)).toMatchObject({
      type: "finish",
      usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
      lacksEvidence: false,
    });
  });

  test("looks nothing up in the last step that is allowed", async () => {
    const { events } = await run({ limits: { maxSteps: 1, providerTimeoutMs: 20_000 } });
    expect(statesIn(events)).toEqual([]);
    expect(textIn(events)).toMatchInlineSnapshot(`
      "\`maxSteps\` leaves no step for a search, so nothing was searched. This model shows extracts of what it finds and explains nothing.

      > **Partial answer.** The limit of 1 step (maxSteps) was reached: this is what had been read by then."
    `);
    expect(events.at(-1)).toMatchObject({ stopped: { reason: "max-steps" } });
  });

  test("a tool that fails is in the traces and in the answer, and the others go on", async () => {
    const search = () => Promise.reject(new Error("disk full"));
    const { events } = await run({ question: "retries", retrieval: { ...createRetrieval(), search } });
    const ended = statesIn(events).filter((state) => /completed|error/.test(state));
    expect(ended.toSorted()).toEqual([
      "builtin-0-0 completed",
      "builtin-0-1 error",
      "builtin-0-2 error",
      "builtin-0-3 completed",
    ]);
    expect(textIn(events)).toContain("The search in demo did not finish in time");
  });

  test("stops where it is when it is cancelled", async () => {
    const controller = new AbortController();
    const retrieval: Retrieval = {
      ...createRetrieval(),
      search() {
        controller.abort(new Error("enough"));
        return new Promise(() => {});
      },
    };
    const { events, error } = await run({ retrieval, signal: controller.signal });
    expect(error).toMatchObject({ tag: "Cancelled" });
    expect(statesIn(events).slice(-2)).toEqual(["builtin-0-0 error", "builtin-0-1 error"]);
    expect(textIn(events)).toBe("");
  });

  test("is left when it takes too long", async () => {
    const retrieval: Retrieval = { ...createRetrieval(), search: () => new Promise(() => {}) };
    const { error } = await run({ retrieval, limits: { maxSteps: 10, providerTimeoutMs: 1 } });
    expect(error).toMatchObject({
      tag: "ProviderTimeout",
      message: "builtin/extractive took longer than 1 ms",
      hint: "ask again, or raise providerTimeoutMs in citewell.config.jsonc",
    });
  });
});
