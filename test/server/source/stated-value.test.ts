import { describe, expect, test } from "vitest";
import { createValueReader, valueAsked, valuePattern } from "../../../server/source/stated-value.ts";

const ask = (question: string) => valueAsked(question, new Set(["shop"]));

describe("a question for a default or a limit has the words of what it asks", () => {
  test.each([
    ["default timeout?", ["timeout"]],
    ["longest allowed url", ["url"]],
    ["what is the default port, and where is it set", ["port"]],
    ["maximum number of clients by default", ["client"]],
    ["where is the limit on how many lines of history are kept", ["lin", "history"]],
    ["which log level is used when nothing is set?", ["log", "level"]],
  ])("%s", (question, stems) => {
    expect(ask(question)?.stems).toEqual(stems);
  });

  test("of many long words a pattern that grep takes", () => {
    const words = ["aa", "bb", "cc", "dd", "ee", "ff"].map((one) => one.repeat(11));
    const asked = ask(`default ${words.join(" ")}?`);
    expect(asked && valuePattern(asked).length).toBeLessThan(1000);
  });

  test("and of what it has the default", () => {
    expect(ask("default branch name for a new repository?")?.subject).toEqual(["branch", "nam"]);
    expect(ask("default size of the queue?")?.subject).toEqual(["siz", "queu"]);
  });

  test.each([
    "how do I change the default timeout?",
    "default status of redirect()?",
    "where is the default export?",
    "what happens when the maximum is reached?",
    "what does the shop do by default?",
    "why does it exceed the limit",
    "Error: limit reached\n  at shop.js:3",
  ])("not one: %s", (question) => {
    expect(ask(question)).toBeUndefined();
  });
});

/** The name that these lines state as the answer. */
function stated(question: string, text: string, path = "src/shop.ts"): string | undefined {
  const asked = ask(question);
  if (asked === undefined) throw new Error("not asked");
  const lines = text.split("\n");
  const at = lines.findIndex((line) => new RegExp(valuePattern(asked), "i").test(line));
  return at === -1 ? undefined : createValueReader(asked)({ lines, path }, at)?.name;
}

test("a constant is surer than a variable, and a line that has all words than one that has some", () => {
  const asked = ask("maximum number of headers by default");
  if (asked === undefined) throw new Error("not asked");
  const worth = (line: string) => createValueReader(asked)({ lines: [line], path: "src/shop.ts" }, 0)?.worth ?? 0;
  expect(worth("const DEFAULT_MAX_HEADERS = 100;")).toBeGreaterThan(worth("let max_headers = 10;"));
  const rows = ask("default rows before the footer?");
  if (rows === undefined) throw new Error("not asked");
  const read = createValueReader(rows);
  const [all, some] = ["footerRowsDefault = 25", "rowsDefault = 20"].map((line) =>
    read({ lines: [line], path: "a.ts" }, 0),
  );
  expect(some?.worth ?? 0).toBeLessThan(all?.worth ?? 0);
});

describe("a line that states it, in the forms of many languages", () => {
  test.each([
    ["default timeout?", "const defaultTimeout = 5_000;", "defaultTimeout"],
    ["default timeout?", "DEFAULT_TIMEOUT: Final = 30", "DEFAULT_TIMEOUT"],
    ["default timeout?", "#define SHOP_DEFAULT_TIMEOUT 30", "SHOP_DEFAULT_TIMEOUT"],
    ["default timeout?", "    timeout: float = 5.0,", "timeout"],
    ["default timeout?", "pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);", "DEFAULT_TIMEOUT"],
    ["default read timeout?", "read_timeout: Dur::Default(Some(Duration::from_secs(30))),", "read_timeout"],
    ["default ping interval?", "  pingInterval: 25000,", "pingInterval"],
    ["default ping interval?", "set :ping_interval, 25", "ping_interval"],
    ["default queue size?", "static const size_t default_queue_size = 8192;", "default_queue_size"],
    [
      "how many clients are allowed at most?",
      'createConfig("maxclients", server.maxclients, 10000);',
      "server.maxclients",
    ],
    ["where is the limit of the history set", "\tdefaultHistoryMax int = 1000", "defaultHistoryMax"],
    [
      "default history limit?",
      '{ .name = "history-limit",\n  .type = NUMBER,\n  .default_num = 2000 },',
      "history-limit",
    ],
    ["default history limit?", 'Flag("history-limit", "Lines to keep").Default("2000")', "history-limit"],
    [
      "default history limit?",
      '"shop.historyLimit": {\n  "type": "number",\n  "default": 2000\n}',
      "shop.historyLimit",
    ],
    ["default pool size?", "DEFAULT_POOLSIZE = 10", "DEFAULT_POOLSIZE"],
    ["default number of retries?", "DEFAULT_RETRIES = 0", "DEFAULT_RETRIES"],
    ["default timeout?", "this.timeoutMilliseconds = 30 * 1000;", "this.timeoutMilliseconds"],
    ["default port?", 'ListenPort int `json:"port" default:"22000"`', "port"],
    ["default subdomain offset?", "this.set('subdomain offset', 2);", "subdomain offset"],
    ["default for max columns?", "max_columns: None,", "max_columns"],
    ["default log level?", 'log.level = given.level || "info"', "log.level"],
    ["default port?", "port = int(os.environ.get('PORT') or 4567)", "port"],
    ["default timeout?", 'parser.add_argument("--timeout", type=float, default=30)', "timeout"],
    ["default branch name for a new repository?", '#define SHOP_BRANCH_DEFAULT "main"', "SHOP_BRANCH_DEFAULT"],
    [
      "default timeout of a sale?",
      'f.DurationVar(&sale.Timeout, "timeout", 300*time.Second, "time to wait for it")',
      "timeout",
    ],
    ["max connections of the pool by default?", "protected int poolMaximumConnections = 10;", "poolMaximumConnections"],
    ["default queue_timeout?", "merge_msec(conf->queue_timeout,\n  prev->queue_timeout, 75000);", "queue_timeout"],
    ["default till port, where is it set", "define_setting :port, 4567, 'The port of the till'", "port"],
    ["default log level?", "pub const DEFAULT_MAX_LEVEL: Level = Level::INFO;", "DEFAULT_MAX_LEVEL"],
    ["default log level?", "  log_level = zap.InfoLevel", "log_level"],
    ["default sale timeout?", "SaleTimeout: clock.Duration(1 * clock.Minute),", "SaleTimeout"],
    [
      "how many times is a failed sale retried by default?",
      "const DEFAULT_MAX_RETRIES: usize = 3;",
      "DEFAULT_MAX_RETRIES",
    ],
    ["default line length?", "lineLength: {\n  type: 'int',\n  default: 80,\n},", "lineLength"],
  ])("%s %s", (question, text, name) => {
    expect(stated(question, text)).toBe(name);
  });

  test("text counts in the files of settings", () => {
    expect(stated("default reporter?", '{ "reporter": "spec" }', "lib/shoprc.json")).toBe("reporter");
    expect(stated("default reporter?", 'run({ reporter: "spec" })')).toBeUndefined();
    expect(stated("default reporter?", 'const REPORTER = "reporter";', "src/options.ts")).toBeUndefined();
  });

  test.each([
    ["another name", "default timeout?", "const timeoutOfPings = 3;"],
    ["one word of three", "maximum call depth of a task", "`git clone ${task}?depth=1`"],
    ["a flag for a number", "default number of threads?", "SHOW_THREADS_DEFAULT = true;"],
    ["an argument before a flag", "default branch name?", "find(repository, branch_name, false);", "src/branch.c"],
    ["the next block's maximum", "maximum line length?", "LineLength:\nBlockLength:\n  Max: 25"],
    ["what is only printed", "max sales of the pool?", 'print("poolMaxSales   ").append(pool.maxSales);'],
    ["what is only handed on", "default sale timeout?", "server.SaleTimeout = options.SaleTimeout"],
    ["an export", "default port?", "export default 5;"],
    ["a call", "default date format?", "dateFormat = dateFormats.get(0);"],
    ["a test", "default timeout?", "const defaultTimeout = 5;", "test/shop.test.ts"],
    ["a page of the site", "default timeout?", "const defaultTimeout = 5;", "src/site/shop.ts"],
    ["the next option's default", "default timeout?", 'option("timeout", [])\noption("size", { default: 3 })'],
    ["another option's default", "default timeout?", 'option("--timeout")\n\noption("--size", { default: 3 })'],
  ])("not %s", (_, question, text, path = "src/shop.ts") => {
    expect(stated(question, text, path)).toBeUndefined();
  });
});

test("the statement begins with the call", () => {
  const asked = ask("default queue_timeout?");
  const lines = ["merge_msec(conf->queue_timeout,", "           prev->queue_timeout, 75000);"];
  expect(asked && createValueReader(asked)({ lines, path: "src/shop.c" }, 1)?.beginsAbove).toBe(true);
});
