import { describe, expect, test } from "vitest";
import { joinAttachedText } from "../../../../server/protocol/attached-text.ts";
import { joinQuestion } from "../../../../server/protocol/attachment.ts";
import { askBuiltin, type BuiltinRun } from "../../../support/ask-builtin.ts";
import { fixture } from "../../../support/fixture.ts";

type Turn = { question: string; answer: string };

async function ask(
  source: string,
  question: string,
  {
    history = [],
    resource = "demo",
    others = {},
  }: { history?: Turn[]; resource?: string; others?: Record<string, string> } = {},
): Promise<BuiltinRun & { queries: string[] }> {
  const snapshots = Object.entries({ [resource]: source, ...others }).map(([name, files]) =>
    fixture(files.trimStart(), { resource: name }),
  );
  const run = await askBuiltin(snapshots, question, history);
  return { ...run, queries: run.calls.map(({ input }) => JSON.stringify(input["query"] ?? "")) };
}

/** Asks, and checks what the answer has and lacks. */
async function check(
  source: string,
  question: string,
  { has = [], lacks = [], history = [] }: { has?: string[]; lacks?: string[]; history?: Turn[] },
): Promise<void> {
  const told = await ask(source, question, { history });
  expect({ missing: has.filter((part) => !told.text.includes(part)), text: told.text }).toMatchObject({ missing: [] });
  expect({ extra: lacks.filter((part) => told.text.includes(part)), text: told.text }).toMatchObject({ extra: [] });
}

describe("what is reported as missing", () => {
  const notes = `
//- package.json
{ "dependencies": { "zod": "^4.0.0" } }
//- notes.md
# Notes

We parse what comes in.
//- index.js
export function parseAll(text) {
  return text.split(",");
}
//- data.min.js
var tarragon=1;
`;

  test("no word that a manifest has", () => check(notes, "how does zod parse a date?", { lacks: ["for “zod”"] }));

  test("no word of another case or ending", () =>
    check(
      "//- a.ts\n/** Rate limits of a tenant. */\nexport const tenantLimits = 3;\n",
      "Where is the Tenant rate limited?",
      {
        has: ["tenantLimits"],
        lacks: ["No match"],
      },
    ));

  test("no word for a degree", () =>
    check("//- a.ts\nexport const urlLimit = 3;\n", "longest url limit", { has: ["urlLimit"], lacks: ["No match"] }));

  test("no word in British spelling that is there in American spelling", () =>
    check(
      "//- LICENSE\nMIT License\n//- a.ts\n/** The color of a license plate. */\nexport const plateColor = 1;\n",
      "Which colour has a licence plate?",
      {
        has: ["plateColor"],
        lacks: ["No match", "No extract"],
      },
    ));

  test.each(["@/lib/utils", "~/lib/utils", "#lib/utils", "$lib/utils", "@acme/utils"])(
    "the import path %s that nothing has",
    (path) => check(notes, `what does ${path} export?`, { has: [`There is no \`${path}\`.`] }),
  );

  test("not an import path whose file is there", () =>
    check("//- src/lib/utils.ts\nexport const join = 1;\n", "what does @/lib/utils export?", {
      has: ["src/lib/utils.ts"],
      lacks: ["There is no"],
    }));

  test("not a module that is named without its ending", () =>
    check("//- lib/utils.js\nexports.join = 1;\n", "what does lib/utils export?", {
      has: ["lib/utils.js"],
      lacks: ["There is no"],
    }));

  test("a question of which only common words match has no evidence", async () => {
    const commands = Array.from(
      { length: 12 },
      (_, index) =>
        `//- list${index}.go\n// Handle the limit of a list.\nfunc handleLimit${index}(limit int) int {\n\treturn limit\n}\n`,
    );
    const source = `${commands.join("")}//- price.go\n// The rate of a tax.\nvar rate = 3\n`;
    const { text, lacksEvidence } = await ask(source, "How does demo handle rate limiting?");
    expect(text).not.toContain("the lines that match the question best");
    expect(lacksEvidence).toBe(true);
  });

  test("nothing is shown of which only weak words match", async () => {
    const { text, lacksEvidence } = await ask(notes, "How does it handle websockets?");
    expect(text).toBe(
      "No match in demo for “websockets”. Try words that the code would use, the name of a function, or a file name.\n",
    );
    expect(lacksEvidence).toBe(true);
  });
});

describe("a follow-up", () => {
  const filter = `
//- dupe.py
class DupeFilter:
    """Drops requests that were seen."""

    def request_seen(self, request):
        return request in self.seen
//- scheduler.py
def enqueue(filter, request):
    if filter.request_seen(request):
        return False
    return True
//- picker.py
def pick(options):
    """Picks by the options accepted by a pattern."""
    return options[0]
`;
  const first = {
    question: "Where is DupeFilter defined?",
    answer: "**1.** defines `DupeFilter`: [[demo:dupe.py#L1-L5]]",
  };

  test.each([
    ["how is it enabled?", "how is it enabled? DupeFilter"],
    ["Where is that defined?", "Where is that defined? DupeFilter"],
    ["And in the tests?", "And in the tests? DupeFilter"],
    ["which options does it take?", "which options does it take? DupeFilter"],
  ])("with a pronoun is about the subject of the turn before (%s)", async (question, query) => {
    expect((await ask(filter, question, { history: [first] })).queries[0]).toBe(JSON.stringify(query));
  });

  test.each([
    "What options does pick accept?",
    "Which licence does this project use?",
    "What licence is this under?",
    "How is the request picked and where is it kept?",
    "Where is the function that picks a pattern?",
    "If a request is seen, is it dropped?",
    "Where is `pick` called?",
  ])("that says all itself inherits nothing (%s)", async (question) => {
    expect((await ask(filter, question, { history: [first] })).queries.join(" ")).not.toContain("DupeFilter");
  });

  test("keeps the subject over several turns", async () => {
    const second = {
      question: "and who calls its request_seen?",
      answer: "**1.** defines `request_seen`: [[demo:dupe.py#L4-L5]]",
    };
    expect((await ask(filter, "how is it enabled?", { history: [first, second] })).queries[0]).toBe(
      '"how is it enabled? request_seen DupeFilter"',
    );
  });

  test("asks who calls the member that it names, whatever it belongs to", () => {
    const source = `
//- store.ts
export class Store {
  start(): void {
    open();
  }
}
export function createStore(): Store {
  return new Store();
}
//- main.ts
export function main(store: Store): void {
  store.start();
}
//- other.ts
export function other(): Store {
  return createStore();
}
`;
    const history = [{ question: "What opens it?", answer: "**1.** defines `createStore`: [[demo:store.ts#L6-L8]]" }];
    return check(source, "and who calls its start?", { history, has: ["1 caller of `start`.", "in `main`"] });
  });

  test("takes the subject from the answer of a model, too", async () => {
    const turn = {
      question: "What drops requests?",
      answer: "The class `DupeFilter` does: [[demo:dupe.py#L1-L5]]\n```py\nclass Other\n```\n",
    };
    expect((await ask(filter, "who calls it?", { history: [turn] })).queries[0]).toBe('"who calls it? DupeFilter"');
  });

  test("reports no word of the turn before as missing", () =>
    check(filter, "how is it enabled?", {
      history: [{ question: "Where is the WebSocketServer?", answer: "No match." }],
      lacks: ["“WebSocketServer”"],
    }));
});

test("a heading that is a link is shown by its text", () =>
  check("//- README.md\n# [picker](lib/picker.js#L43)\n\nPicks a pattern.\n", "how do I use the picker pattern?", {
    has: ["documents “picker”"],
    lacks: ["documents “[picker]"],
  }));

describe("callers", () => {
  const source = `
//- wait.ts
export function wait(ms: number) {
  return ms;
}
//- a.ts
import { wait } from "./wait.ts";
/** Calls wait() twice. */
export function one() {
  log("wait(1)");
  return wait(1);
}
export function two() {
  // wait(2) would be longer
  return wait(2);
}
//- test/wait.test.ts
test("wait", () => wait(3));
`;

  test("all of them, with their number, and no comment or string", () =>
    check(source, "Who calls wait?", { has: ["3 callers of `wait`.", "in `one`", "in `two`"], lacks: ["shown"] }));

  const calledBy = (count: number) =>
    Array.from(
      { length: count },
      (_, index) => `//- c${index}.ts\nexport function call${index}() {\n  return wait(${index});\n}\n`,
    ).join("");

  test("a line for each of those that no extract shows", () =>
    check(`${source.trimStart()}${calledBy(12)}`, "Who calls wait?", {
      has: ["15 callers of `wait`.", "Other callers:", "- in `call9`: `return wait(9);`"],
      lacks: ["shown"],
    }));

  test("the number of those that are not shown", () =>
    check(`${source.trimStart()}${calledBy(40)}`, "Who calls wait?", { has: ["43 callers of `wait`, 28 shown."] }));

  test("two functions of one name are two, and a docstring is none", () =>
    check(
      `
//- a.py
def wait(ms):
    return ms


def one():
    """Calls wait(1) sooner or later."""

    def inner():
        """Two lines
        that call wait(2)."""
        return wait(2)

    return inner


def two():
    def inner():
        return wait(3)

    return inner
`,
      "Who calls wait?",
      { has: ["2 callers of `wait`."], lacks: ["sooner"] },
    ));

  test.each([
    "where is wait used besides its definition",
    "who calls wait, apart from where it is defined?",
    "what uses wait() other than the declaration",
  ])("%s: its definition is no use of it", (question) =>
    check(source, question, { has: ["3 callers of `wait`.", "in `one`"], lacks: ["definition", "No match"] }),
  );

  const carts = `
//- cart.ts
export class Cart {
  empty() {}
}
//- a/list.ts
import { Cart } from "../cart.ts";
export function list(carts: object[]) {
  const all = carts as Cart[];
  return all;
}
//- b-shop/till.ts
import { Cart } from "../cart.ts";
export function open() {
  return new Cart();
}
`;

  test.each(["Who creates a Cart", "where is Cart instantiated?", "where in b-shop is Cart used"])(
    "%s: first the ones that are meant",
    (question) =>
      check(carts, question, { has: ["2 callers of `Cart`.", "**1.** uses `Cart`, in `open`"], lacks: ["commit"] }),
  );

  test("of what is only described: the whole code with these words, as no name says which lines matter", () => {
    const lines = Array.from({ length: 9 }, (_, index) => `  all.push(door.owner(${index}));\n`).join("");
    return check(
      `
//- till.ts
export function open(all: string[]) {
  // The helper tidies the names of the owners.
${lines}  return cleanUp(all);
}
`,
      "what uses the helper that tidies owner names",
      { has: ["return cleanUp(all);"], lacks: ["callers of"] },
    );
  });

  test("of a member, not of its owner", () =>
    check(
      `
//- cart.ts
export class Cart {
  JSON(all: boolean) {
    return all;
  }
}
//- till.ts
import { Cart } from "./cart.ts";
export function print(cart: Cart) {
  return cart.JSON(true);
}
export function open(): Cart {
  return new Cart();
}
`,
      "who calls Cart.JSON",
      { has: ["1 caller of `Cart.JSON`.", "in `print`"], lacks: ["in `open`"] },
    ));

  test("those in tests", () =>
    check(source, "Where is `wait` tested?", {
      has: ["1 caller in tests of `wait`.", "test/wait.test.ts"],
      lacks: ["in `one`", "in `two`"],
    }));

  test("no test", () =>
    check("//- a.ts\nexport function lonely() {}\nexport const alone = () => lonely();\n", "Where is lonely tested?", {
      has: ["No test calls or uses `lonely`."],
    }));

  const ruby = `
//- app.rb
class App
  def save!(book)
    ledger.write(book)
  end

  def sell(book)
    save! book if save?
  end

  def save?
    true
  end
end

set :save, true
`;

  test.each([
    ["who calls save!", "1 caller of `save!`."],
    ["where is `save?` used?", "1 caller of `save?`."],
  ])("a mark at the end belongs to the name: %s", (question, count) =>
    check(ruby, question, { has: [count, "in `sell`"] }),
  );

  test("none", () =>
    check("//- a.ts\nexport function lonely() {}\n// lonely() is called by nobody\n", "Who calls lonely?", {
      has: ["No code calls or uses `lonely`."],
    }));
});

describe("a question with attached lines", () => {
  const source = `
//- src/wait.ts
/** Waits longer each time. */
export function wait(ms: number) {
  return ms * 2;
}
//- src/stop.ts
export function stop() {
  return "stopped";
}
`;
  const text = "export function wait(ms: number) {\n  return ms * 2;\n}";

  test("is about the definition that they hold", () =>
    check(source, joinQuestion("What does this do?", [{ label: "wait.ts:2-4", path: "src/wait.ts", text }]), {
      has: ["demo:src/wait.ts#L"],
      lacks: ["src/stop.ts", "No match"],
    }));

  test("is about the file that is attached whole", () =>
    check(source, joinQuestion("Explain this.", [{ label: "wait.ts", path: "src/wait.ts", text }]), {
      has: ["demo:src/wait.ts#L"],
      lacks: ["src/stop.ts", "No match"],
    }));
});

describe("how or where code does something", () => {
  const code: Record<string, string> = {
    "src/backoff.ts":
      "export const limit = 3;\n\nexport function delayFor(attempt: number): number {\n  return Math.min(100 * 2 ** attempt, 30_000);\n}\n",
    "src/backoff.py": "LIMIT = 3\n\n\ndef delay_for(attempt):\n    return min(100 * 2 ** attempt, 30_000)\n",
    "backoff.go": "package main\n\nfunc delayFor(attempt int) int {\n\treturn min(100<<attempt, 30000)\n}\n",
  };
  const sentence = "The retry delay is computed per attempt and capped.";
  const documents: Record<string, string> = {
    "a README": `//- README.md\n# Sender\n\n${sentence}\n`,
    "a folder of documents": `//- docs/retry.md\n# Retry delay\n\n${sentence}\n//- docs/cap.md\n# Caps\n\nThe delay of a retry is capped when it is computed.\n`,
  };
  test.each(Object.keys(code).flatMap((path) => Object.keys(documents).map((document) => [path, document] as const)))(
    "%s is shown before %s",
    async (path, document) => {
      const { text } = await ask(
        `//- ${path}\n${code[path]}${documents[document]}`,
        "How is the retry delay computed and where is it capped?",
      );
      expect(/^\*\*1\.\*\* .*$/m.exec(text)?.[0]).toContain(`demo:${path}#`);
      expect(text).toContain("30");
    },
  );

  test("in a folder with the name of what it does", async () => {
    const page = `//- src/backoff.ts\n${code["src/backoff.ts"]}${documents["a README"]}`;
    const question = "How is the retry delay computed and where is it capped?";
    const { text } = await ask(page, question, { resource: "delay" });
    expect(text).toContain("delayFor(attempt");
  });
});

describe("a pasted diff", () => {
  const source = `//- src/fingerprint.ts
export function fingerprint(text: string) {
  const short = text.trim();
  return hash(short);
}
//- src/filter.ts
import { fingerprint } from "./fingerprint.ts";

export function isSeen(text: string) {
  return seen.has(fingerprint(text));
}
//- README.md
# Filter

Filters what was seen.
`;
  const change = `diff --git a/src/fingerprint.ts b/src/fingerprint.ts
index 36fb0f9..ebd9cf8 100644
--- a/src/fingerprint.ts
+++ b/src/fingerprint.ts
@@ -1,4 +1,4 @@
 export function fingerprint(text: string) {
-  const short = text;
+  const short = text.trim();
   return hash(short);
 }
`;
  const lacks = ["There is no", "No match", "ebd9cf8", "No extract"];

  test.each(["What does this change break?", "who is affected?", "review this"])("%s", (question) =>
    check(source, joinAttachedText(question, change), {
      has: ["line 2, in `fingerprint`", "`fingerprint` is used in 1 other line:", "[[demo:src/filter.ts#L4]]"],
      lacks,
    }),
  );

  test("alone", () => check(source, change, { has: ["line 2, in `fingerprint`", "[[demo:src/filter.ts#L4]]"], lacks }));

  test("of a document", () =>
    check(
      source,
      "what changes?\n--- a/README.md\n+++ b/README.md\n@@ -3 +3 @@\n-Filters.\n+Filters what was seen.\n",
      {
        has: ["line 3, in `Filter`", "Filters what was seen."],
        lacks: ["is used in", ...lacks],
      },
    ));
});

describe("a pasted trace of another version", () => {
  const source = `//- crawl/response.py
def urljoin(base, url):
    return base + url


def join_all(base, urls):
    return [urljoin(base, url) for url in urls]


def follow(response, url):
    if url is None:
        raise ValueError("url can't be None")
    return urljoin(response, url)
`;
  const trace = `2026-11-26 23:11:02 [app] ERROR: Spider error processing the page
Traceback (most recent call last):
  File "/usr/lib/python3/site-packages/crawl/response.py", line 2, in follow
    raise ValueError("url can't be None")
ValueError: url can't be None`;

  test("the message, then the function that the trace names, and that the lines do not fit", () =>
    check(source, trace, {
      has: [
        "The trace is from another version: line 2 of `crawl/response.py` is not in `follow`.",
        "`follow`, of which the trace names line 2: [[demo:crawl/response.py#L9-L12]]",
      ],
      lacks: ["line 2, in `urljoin`"],
    }));
});

test("a caller in a function with a like name is shown, before the definition", async () => {
  const source = `//- run.go
package main

func Run(args []string) int {
	if useTmux() {
		return runTmux(args)
	}
	return 0
}
//- tmux.go
package main

func runTmux(args []string) int {
	return len(args)
}
`;
  const { text } = await ask(source, "what calls runTmux?");
  expect(text.match(/^(?:\d+ caller.*|\*\*\d\.\*\* .*?:)/gm)).toEqual([
    "1 caller of `runTmux`.",
    "**1.** uses `runTmux`, in `Run`:",
    "**2.** defines `runTmux`:",
  ]);
});

describe("of several resources", () => {
  const client = `
//- readme.md
# Client

## request

The request that an attempt sends. A request is what is sent.
//- client.ts
export function shouldTryAgain(error: Failure, attempt: number, limit: number): boolean {
  // Whether to retry is decided here, for each request that failed.
  if (attempt >= limit) return false;
  return error.retry;
}

export function send(request: Request): Promise<Response> {
  return fetch(request);
}
`;
  const others = {
    "p-retry": `
//- readme.md
# p-retry

Runs a promise again.
`,
    "p-queue": `
//- queue.ts
export class Queue {
  concurrency = 4;
}
`,
  };
  const more = { lru: "//- lru.ts\nexport const size = 1;\n", ms: "//- ms.ts\nexport const second = 1000;\n" };

  test.each([
    { name: "a few", others },
    { name: "many", others: { ...others, ...more } },
  ])("$name, one whose name shares a word with the question is not meant by it", async ({ others }) => {
    const { text } = await ask(client, "How does ky decide whether to retry a request?", { resource: "ky", others });
    expect(text).toMatch(/\*\*1\.\*\* defines `shouldTryAgain`/);
  });

  test("one that is named with all of its words is searched by itself", async () => {
    const all = { ...others, ...more };
    const { queries, text } = await ask(client, "What is the concurrency of p-queue?", { resource: "ky", others: all });
    expect(queries).toHaveLength(3);
    expect(text).toContain("concurrency = 4");
  });
});

test("the method whose name says only what is asked is shown, whole, rather than its class", async () => {
  const source = `
//- src/Strings.java
package demo;

/** Operations on strings. */
public class Strings {
    /** Checks if any of the strings is blank: empty, null or whitespace only. */
    public static boolean isAnyBlank(final CharSequence... css) {
        if (css.length == 0) return false;
        for (final CharSequence cs : css) {
            if (isBlank(cs)) return true;
        }
        return false;
    }

    /** Checks if all of the strings are blank: empty, null or whitespace only. */
    public static boolean isAllBlank(final CharSequence... css) {
        if (css.length == 0) return true;
        for (final CharSequence cs : css) {
            if (isNotBlank(cs)) return false;
        }
        return true;
    }

    /**
     * Checks if a CharSequence is empty, null or whitespace only.
     *
     * @param cs the CharSequence to check, may be null
     * @return true if it is null, empty or whitespace only
     */
    public static boolean isBlank(final CharSequence cs) {
        final int strLen = length(cs);
        for (int i = 0; i < strLen; i++) {
            if (!Character.isWhitespace(cs.charAt(i))) return false;
        }
        return true;
    }

    /** Checks if a string is not blank. */
    public static boolean isNotBlank(final CharSequence cs) {
        return !isBlank(cs);
    }
}
`;
  const { text } = await ask(source, "How do I check if a string is blank?");
  expect(text).toMatch(/\*\*1\.\*\* defines `isBlank`/);
  expect(text).toContain("Checks if a CharSequence is empty");
  expect(text).toContain("Character.isWhitespace");
});

test("the file whose path is the words of the question precedes others that repeat them", async () => {
  const source = `
//- pkg/cmd/gist/gist.go
package gist

// NewCmdGist manages gists: create a gist, list gists, view a gist, edit a gist.
func NewCmdGist(f *Factory) *Command {
	cmd := &Command{Use: "gist <command>", Short: "Manage gists"}
	cmd.AddCommand(create.NewCmdCreate(f, nil))
	return cmd
}
//- pkg/cmd/gist/shared/shared.go
package shared

// A gist is what gist create and gist edit send. GetGist reads a gist; does the gist exist?
// To create a gist, use gist create; a gist can be public or secret when you create a gist.
func GetGist(id string) (*Gist, error) {
	return nil, nil
}
//- pkg/cmd/gist/create/create.go
package create

// CreateOptions are the inputs.
type CreateOptions struct {
	Description string
	Public      bool
	Filenames   []string
}

func NewCmdCreate(f *Factory, runF func(*CreateOptions) error) *Command {
	opts := CreateOptions{}
	cmd := &Command{Use: "create [<filename>...]", Short: "Create a new gist"}
	cmd.Flags().BoolVarP(&opts.Public, "public", "p", false, "List it publicly")
	return cmd
}

func createRun(opts *CreateOptions) error {
	files, err := processFiles(opts.Filenames)
	if err != nil {
		return err
	}
	return send(files, opts.Description, opts.Public)
}
//- pkg/cmd/release/create/create.go
package create

func createRun(opts *CreateOptions) error {
	return createRelease(opts)
}
`;
  const { text } = await ask(source, "How does gist create work?");
  expect(text).toMatch(/\*\*1\.\*\*.*\[\[demo:pkg\/cmd\/gist\/create\/create\.go#/);
});

test("an overview shows neither the licence comment of a README nor the parts of a pom that are not its own", async () => {
  const source = `
//- README.md
<!---
 Licensed to the Example Foundation under one or more contributor license agreements.
 See the NOTICE file distributed with this work.
-->
Example Lang
============

Extra operations on the classes of the language.
//- pom.xml
<project>
  <parent>
    <groupId>org.example</groupId>
    <artifactId>example-parent</artifactId>
    <version>50</version>
  </parent>
  <artifactId>example-lang</artifactId>
  <name>Example Lang</name>
  <description>
    Operations on strings, numbers and dates.
  </description>
  <dependencies>
    <dependency>
      <groupId>org.junit.jupiter</groupId>
      <artifactId>junit-jupiter</artifactId>
      <version>5.11.0</version>
    </dependency>
  </dependencies>
</project>
//- src/main/java/org/example/Lang.java
package org.example;

public class Lang {
}
`;
  const { text } = await ask(source, "How is this project put together?");
  expect(text).toContain("Extra operations on the classes of the language.");
  expect(text).toContain("Operations on strings, numbers and dates.");
  expect(text).not.toContain("Licensed to");
  expect(text).not.toContain("example-parent");
  expect(text).not.toContain("junit-jupiter");
});

test("translated texts have the words of everything and come after the code, unless they are asked for", async () => {
  const source = `
//- src/locales/en.ts
export const texts = {
  string: "a string",
  email: "an email address",
  check: "check the email address: this string is none",
};
//- src/formats.ts
/** Checks that a string has the form of an email. */
export function email(text: string): boolean {
  return pattern.test(text);
}
`;
  const first = /\*\*1\.\*\*[^[]*\[\[demo:src\/(\w+)/;
  const { text: check } = await ask(source, "How does it check that a string is an email address?");
  expect(first.exec(check)?.[1]).toBe("formats");
  const { text: texts } = await ask(source, "Which texts are there for an email address?");
  expect(first.exec(texts)?.[1]).toBe("locales");
});

test("a definition with the name of one of a question's words is not the only answer", async () => {
  const source = `
//- src/app.rs
pub fn config() -> Config {
    Config::new()
}
//- src/paths.rs
/// The path of the config file: in the shop's folder of the user.
pub fn file_of_user() -> PathBuf {
    home().join("shop").join("config")
}
`;
  const { text } = await ask(source, "where is the config file");
  expect(text).toContain("home().join");
});
