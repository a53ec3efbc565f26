/** `isGood` and `why` are the verdict of a person who read the answer. */
export const examples = [
  {
    resource: "express",
    question: "How are routes matched?",
    isGood: false,
    why: "begins with `app.route`; that the package `router` does the matching is said after it",
  },
  {
    resource: "citewell",
    question: "Who calls foldAnswer?",
    isGood: true,
    why: "counts the callers and shows eight",
  },
  {
    resource: "citewell",
    question: "Which exit code when a key is refused?",
    isGood: true,
    why: "shows the codes in the code, then their table",
  },
  { resource: "zod", question: "Does it have a websocket client?", isGood: true, why: "says no, with exit code 3" },
  {
    resource: "hono",
    question: "Where are cookies parsed?",
    isGood: true,
    why: "shows the one for signed cookies, and names `parse` as the next place",
  },
  {
    resource: "hono",
    question: "How do RegExpRouter and TrieRouter get chosen?",
    isGood: false,
    why: "shows where both are created, but not `SmartRouter.match`, which chooses",
  },
  {
    resource: "hono",
    question: "How do I stream a response?",
    isGood: true,
    why: "the extract answers it",
  },
  {
    resource: "zod",
    question: "safeParse vs parse",
    isGood: true,
    why: "shows both definitions; their types show the difference",
  },
  {
    resource: "zod",
    question: 'z.coerce.boolean makes "false" true, why?',
    isGood: false,
    why: "begins with `zod/mini`; `Boolean(payload.value)` is not shown",
  },
  {
    resource: "express",
    question: "Which options does express.json() take?",
    isGood: false,
    why: "names `body-parser`, which implements it, but shows none of its options",
  },
  {
    resource: "citewell",
    question: "What stops two processes from fetching one repository?",
    isGood: false,
    why: "finds nothing useful: the code says “lock”, and the question does not",
  },
  { resource: "citewell", question: "How do I add a new provider?", isGood: true, why: "shows the guide" },
  {
    resource: "commander",
    question: "How do I add a subcommand?",
    isGood: false,
    why: "begins with hooks; the example of `.command()` is second",
  },
  {
    resource: "commander",
    question: "When does an environment variable win over a default value?",
    isGood: true,
    why: "the first extract answers it",
  },
  {
    resource: "black",
    question: "How does Black decide where to split a line?",
    isGood: false,
    why: "begins with code that only has the words, and does not show `transform_line`, which decides",
  },
  {
    resource: "black",
    question: "What does the magic trailing comma do?",
    isGood: true,
    why: "shows the option that skips it, then the section about it",
  },
  {
    resource: "hono",
    question: "How do I write my own middleware?",
    isGood: false,
    why: "the package contains no guide",
  },
  {
    resource: "zod",
    question: "What happens when a union matches no option?",
    isGood: false,
    why: "shows exclusive and discriminated unions, but not the plain one",
  },
  {
    resource: "express",
    question: "How does Express find the view engine?",
    isGood: true,
    why: "shows `View`, which requires the engine and looks up the file",
  },
  {
    resource: "black",
    question: "Where does Black read its configuration from?",
    isGood: true,
    why: "shows `read_pyproject_toml`",
  },
  {
    resource: "citewell",
    question: "What is this project, and where does it start?",
    isGood: true,
    why: "shows README, architecture, folders, manifest and entry points",
  },
  {
    resource: "hono",
    question: "What is this project, and where does it start?",
    isGood: true,
    why: "shows README, manifest and entry point",
  },
  {
    resource: "commander",
    question: "What is this project, and where does it start?",
    isGood: true,
    why: "shows README, manifest and entry point",
  },
  {
    resource: "black",
    question: "What is this project, and where does it start?",
    isGood: true,
    why: "shows README, folders, scripts and both `main` functions",
  },
  {
    resource: "express",
    question: "How is this project put together?",
    isGood: true,
    why: "shows one sentence, the files of `lib`, and `createApplication`",
  },
  {
    resource: "zod",
    question: "What are the main parts, and where do they meet?",
    isGood: true,
    why: "shows README, folders, and the entry point that leads to v4",
  },
  {
    resource: "citewell",
    question: "What are the main parts, and where do they meet?",
    isGood: true,
    why: "shows the architecture page",
  },
  { resource: "black", question: "What does this project depend on?", isGood: true, why: "shows the manifest's list" },
  {
    resource: "express",
    question: "What does this project depend on?",
    isGood: true,
    why: "shows the manifest's list",
  },
  {
    resource: "hono",
    question: "Where does this project start, and what does it export?",
    isGood: true,
    why: "shows the entry point with its exports",
  },
];

/**
 * Ten questions that were chosen by chance from the tuning half of `bench -- newcomer` (2026-11-28), and the verdicts on
 * their answers. The answers are not kept: they quote repositories at the commits of `bench/newcomer`.
 */
export const chosenByChance = [
  {
    resource: "socketio/socket.io",
    question: "where is the limit for the size of one message set, and how big is it",
    isGood: false,
    why: "the list of options with `maxHttpBufferSize` is third, after two places about something else",
  },
  {
    resource: "gabime/spdlog",
    question: "how are the tests built and run",
    isGood: false,
    why: "has the option and `ctest`, among 300 lines of CMake",
  },
  {
    resource: "sinatra/sinatra",
    question: "method_override?",
    isGood: true,
    why: "the first extract says what it does, the second where it is used",
  },
  {
    resource: "pallets/click",
    question: "UnicodeEncodeError: 'charmap' codec can't encode character when i redirect to a file on windows",
    isGood: true,
    why: "shows the section that explains it, with what to do",
  },
  {
    resource: "gabime/spdlog",
    question: "SPDLOG_NO_EXCEPTIONS",
    isGood: true,
    why: "shows what it changes, and all places that use it",
  },
  {
    resource: "gabime/spdlog",
    question: "can I change the log level without recompiling?",
    isGood: false,
    why: "does not find the section about the environment variable",
  },
  {
    resource: "redis/redis",
    question: "Redis, what is it exactly?",
    isGood: true,
    why: "shows the beginning of the README",
  },
  {
    resource: "redis/redis",
    question: "when a hash table gets too small is everything copied over at once, or bit by bit?",
    isGood: false,
    why: "shows a part of rehashing, but not the function that says that it is incremental",
  },
  {
    resource: "redis/redis",
    question:
      "(error) MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.",
    isGood: true,
    why: "shows where the message is, and names the place that sends it",
  },
  {
    resource: "junegunn/fzf",
    question: "what does --tiebreak do",
    isGood: true,
    why: "shows the entry of the manual, without the list of criteria below it",
  },
];
