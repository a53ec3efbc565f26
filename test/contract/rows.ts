/** One row of the contract, and the test that proves it: the file below test/, and the title as it is written there. */
export type ContractRow = readonly [row: string, file: string, title: string];

export const endpoints: readonly ContractRow[] = [
  ["GET /", "transports/api.test.ts", "GET / is the health check"],
  ["GET /config", "transports/api.test.ts", "GET /config summarises what is in force"],
  ["PUT /config/model", "transports/api.test.ts", "PUT /config/model answers the same fields and where they went"],
  ["POST /config/resources", "transports/api.test.ts", "POST /config/resources adds and returns the resource"],
  ["DELETE /config/resources", "transports/api.test.ts", "DELETE /config/resources takes the name from the body"],
  ["GET /resources", "transports/api.test.ts", "GET /resources lists every field, null where it does not apply"],
  ["GET /providers", "transports/api.test.ts", "GET /providers tells who can be asked"],
  ["POST /question", "transports/api.test.ts", "POST /question answers whole"],
  [
    "POST /question/stream",
    "transports/ask.test.ts",
    "streams meta, reasoning, tools and checked text, and ends with done",
  ],
  ["GET /thread", "transports/api.test.ts", "GET /thread returns a conversation, by its whole id"],
  ["POST /reload-config", "transports/api.test.ts", "POST /reload-config returns the names in force"],
  ["POST /clear", "transports/api.test.ts", "POST /clear counts the clones it removed, and never touches a folder"],
];

export const endpointRules: readonly ContractRow[] = [
  ["the three kinds of resource are taken", "server/transports/http/http.test.ts", "POST /config/resources takes %j"],
  [
    "the compatible provider needs baseURL and name",
    "transports/api.test.ts",
    "PUT /config/model for the compatible server needs its address",
  ],
  [
    "a choice that is incomplete is refused",
    "transports/api.test.ts",
    "PUT /config/model refuses what is incomplete or unknown",
  ],
  [
    "frames are `event: <type>` and `data: <json>`",
    "server/transports/http/events.test.ts",
    "sends each event as its type, one line of JSON and an empty line, in order",
  ],
  [
    "no authentication, on this machine alone",
    "server/transports/http/guard.test.ts",
    "nothing but 127.0.0.1 is listened on",
  ],
  ["OpenAPI 3.1.0, version 2.0.0", "server/transports/http/http.test.ts", "GET /openapi.json answers the description"],
];

export const commands: readonly ContractRow[] = [
  ["add", "cli/resources.test.ts", "add reports what it added"],
  ["add: wizard", "cli/add.test.ts", "without an argument a wizard asks for what is needed"],
  [
    "add: --global",
    "cli/resources.test.ts",
    "adding and removing writes the project's file where there is one, and keeps its comments",
  ],
  [
    "add: pages of repository hosts",
    "server/protocol/reference.test.ts",
    "normalizeGitUrl takes a repository host's page to its repository",
  ],
  ["reference", "cli/reference.test.ts", "a repository is cloned whole, with its history, ready to be used with git"],
  ["reference: local exclude file", "cli/reference.test.ts", "in a repository, once, and nothing else is changed"],
  [
    "reference: outside a repository",
    "cli/reference.test.ts",
    "where git sees no repository it warns, and clones all the same",
  ],
  [
    "reference: snippets",
    "cli/reference.test.ts",
    "in a terminal it shows how far it is, and prints a snippet for agents",
  ],
  ["remove: by name", "cli/resources.test.ts", "removing a default resource keeps the other two"],
  ["remove: picker", "cli/remove.test.ts", "without a name the resources are offered to choose from"],
  [
    "remove: --global",
    "cli/remove.test.ts",
    "--global takes it from the global file, also where the project has one of that name",
  ],
  ["resources", "cli/resources.test.ts", "without any configuration the three default resources are there"],
  ["ask", "cli/ask.test.ts", "the answer is plain Markdown on standard output, the rest is on standard error"],
  ["ask: mentions", "cli/ask.test.ts", "mentions choose resources and leave the question"],
  [
    "ask: all configured resources where none is given",
    "server/operations/ask.test.ts",
    "what the question did not name and does not open is left out, and said",
  ],
  ["ask: no question", "cli/ask.test.ts", "$name ends with $code"],
  ["connect: with provider and model", "cli/connect.test.ts", "with provider and model nothing is asked"],
  [
    "connect: --global",
    "cli/connect.test.ts",
    "else the project's; --global writes the global one, and says which counts",
  ],
  ["connect: selection", "cli/connect.test.ts", "in a terminal the providers are offered"],
  ["connect: what the compatible provider needs", "cli/connect.test.ts", "in a terminal it asks for what was not said"],
  [
    "connect: the compatible provider's address",
    "server/providers/connect.test.ts",
    "of a compatible server is stored with its address",
  ],
  ["status", "cli/status.test.ts", "says who answers, which file says so, and what each file brings"],
  [
    "status: newer version",
    "journeys/release.test.ts",
    "a released program reports a newer version, and how to get it",
  ],
  ["disconnect", "cli/disconnect.test.ts", "the key goes, and entries of others stay"],
  ["disconnect: picker", "cli/disconnect.test.ts", "in a terminal those that are connected are offered"],
  ["init", "cli/init.test.ts", "in a terminal it asks where fetched resources are kept"],
  ["init: --force", "cli/init.test.ts", "a file that is there is kept, and replaced with --force"],
  [
    "init: ignore file",
    "cli/init.test.ts",
    "in a repository .citewell/ is added to .gitignore, once, and not where that is not wanted",
  ],
  ["clear", "cli/clear.test.ts", "without a terminal it clears what was fetched, and leaves folders alone"],
  ["wipe: --yes", "cli/wipe.test.ts", "--yes deletes both files, also a broken one, and reports each"],
  ["wipe: what failed", "cli/wipe.test.ts", "a file that cannot be deleted is reported, and exits with 1"],
  ["wipe: confirmation", "cli/wipe.test.ts", "in a terminal it shows what goes, and no is the default"],
  ["serve", "cli/serve.test.ts", "resources are added, listed and removed over HTTP, as on the command line"],
];

export const globalOptions: readonly ContractRow[] = [
  ["--server", "cli/server-option.test.ts", "resources lists the server's, with --server %s the command"],
  ["--server is health-checked", "cli/server-option.test.ts", "a server that cannot be used is refused"],
  ["--port", "cli/global-options.test.ts", "--port %s ask serves HTTP as long as the question runs"],
  ["--no-thinking", "cli/global-options.test.ts", "--no-thinking %s the command hides the reasoning"],
  ["--no-tools", "cli/ask.test.ts", "--no-thinking and --no-tools hide what they name"],
  ["--sub-agent", "cli/global-options.test.ts", "--sub-agent %s the command leaves the answer alone"],
  ["in the REPL, too", "cli/repl/repl.test.ts", "--no-thinking and --no-tools hide what they name"],
];

export const hosted: readonly ContractRow[] = [
  [
    "POST /api/mcp",
    "server/hosted/endpoint/endpoint.test.ts",
    "the official client lists the tools and calls each of them",
  ],
  ["tools", "journeys/agents.test.ts", "a program that knows nothing of MCP uses every tool"],
  ["ask", "server/hosted/endpoint/endpoint.test.ts", "an answer has its checked citations in structuredContent"],
  ["no local path", "server/hosted/endpoint/endpoint.test.ts", "a local folder is a result with isError"],
  ["isError", "server/hosted/endpoint/endpoint.test.ts", "%s is a result with isError"],
  [
    "id, project",
    "server/hosted/endpoint/endpoint.test.ts",
    "an id may be a text, and a project may be named that is the key's",
  ],
  ["missing or wrong key", "server/hosted/endpoint/endpoint.test.ts", "a revoked key is 401 at once"],
  [
    "another project",
    "server/hosted/endpoint/endpoint.test.ts",
    "a project sees nothing of another's, and naming another one is 403",
  ],
  ["GET", "server/hosted/endpoint/endpoint.test.ts", "%s is 405"],
  [
    "over the limit",
    "server/hosted/endpoint/limits.test.ts",
    "calls beyond the limit of a key are 429 and say which limit, and when to retry",
  ],
  ["both eras", "server/hosted/endpoint/eras.test.ts", "gets a checked answer"],
];

export const repl: readonly ContractRow[] = [
  ["no command", "cli/repl/repl.test.ts", "citewell --no-tui asks line by line, and shows answers as ask does"],
  ["/help, /resources", "cli/repl/repl.test.ts", "/help"],
  ["/clear", "cli/repl/repl.test.ts", "questions make one conversation, until /clear"],
  ["/quit, /exit", "cli/repl/repl.test.ts", "%s leaves"],
  [
    "@resource",
    "cli/repl/repl.test.ts",
    "a mention, completed with Tab, selects the resources of this and the next questions",
  ],
];

export const tui: readonly ContractRow[] = [
  [
    "no command",
    "cli/tui/tui.test.ts",
    "bare citewell fills the screen, answers, and numbers the citations with their state",
  ],
  [
    "/connect, /add",
    "cli/tui/tui.test.ts",
    "a command's own dialogue has the normal screen, and the conversation comes back",
  ],
  ["/clear, /new", "cli/tui/tui.test.ts", "%s begins a conversation without the earlier turns"],
  ["/resume", "cli/tui/tui.test.ts", "/resume goes on with an earlier conversation"],
  [
    "/copy, /copy-all",
    "cli/tui/tui.test.ts",
    "/copy says what it did, with permanent links; without a clipboard the terminal gets it",
  ],
  ["Enter", "cli/tui/tui.test.ts", "a question typed meanwhile is asked next; Up takes it back"],
  ["Escape twice", "cli/tui/tui.test.ts", "Escape twice stops the answer, which keeps what was checked"],
  ["Ctrl+C", "cli/tui/tui.test.ts", "Ctrl+C clears it, and leaves when it is empty"],
  ["Ctrl+Q", "cli/tui/tui.test.ts", "Ctrl+Q leaves the last answer with its sources in the normal screen"],
  ["Tab", "cli/tui/tui.test.ts", "@ and / complete"],
  ["Up, Down", "cli/tui/tui.test.ts", "Up brings earlier questions back, in a later run too; Ctrl+R searches them"],
];

export const configuration: readonly ContractRow[] = [
  ["comments and trailing commas", "server/config/parse.test.ts", "comments and trailing commas"],
  ["where the files are", "server/config/paths.test.ts", "the standard folders of the home directory"],
  ["1: the project wins", "server/config/config.test.ts", "the project's values override the global ones, key by key"],
  [
    "1: resources of both",
    "server/config/config.test.ts",
    "resources of both files merge by name, the project's take precedence",
  ],
  ["2: defaults", "server/config/config.test.ts", "without a file: the defaults and the three default resources"],
  [
    "3: the legacy data directory",
    "server/config/config.test.ts",
    "is recorded in a project with a legacy .citewell folder, and comments are kept",
  ],
  [
    "4: no key in the file",
    "cli/connect.test.ts",
    "comes from standard input, and is stored readable only by the user",
  ],
  [
    "dataDirectory",
    "server/config/config.test.ts",
    "relative paths are relative to their file's folder, ~ is the home directory",
  ],
  ["maxSteps", "server/agent/agent.test.ts", "a model that calls tools for ever is stopped"],
  ["providerTimeoutMs", "server/agent/agent.test.ts", "a provider that does not answer in time is left"],
];

export const oneOffs: readonly ContractRow[] = [
  [
    "1: a git URL",
    "server/resources/resources.test.ts",
    "a one-off repository is read under its URL; its temporary folder is removed, and clearing removes the rest",
  ],
  [
    "1: removed after the request",
    "journeys/git.test.ts",
    "a one-off URL is asked at the first usual branch and answers again with its server gone",
  ],
  [
    "2: main, master, trunk, dev",
    "server/resources/git/git.test.ts",
    "of a repository with %j is read at %s, and its temporary folder is removed",
  ],
  ["2: none of them", "server/resources/git/git.test.ts", "without any of them fails with how to add it"],
  [
    "3: a package's page and files",
    "server/resources/packages/npm/npm.test.ts",
    "is the whole tarball, with the content of the registry's page beside it",
  ],
  [
    "3: removed after the request",
    "server/resources/packages/npm/npm.test.ts",
    "for a one-off is moved to the cache, and the registry is contacted once",
  ],
];

export const credentials: readonly ContractRow[] = [
  [
    "read from another tool's file",
    "server/providers/credentials.test.ts",
    "returns opencode's entries without a connection",
  ],
  ["where that file is", "server/config/paths.test.ts", "Windows: the roaming and the local folder"],
  [
    "the providers, and how each is connected",
    "server/providers/providers.test.ts",
    "returns sign-in methods and known models of each provider",
  ],
  ["keys from the environment", "server/providers/connect.test.ts", "from the environment precedes the stored one"],
  [
    "OAuth in the browser",
    "server/providers/sign-in.test.ts",
    "signs in with PKCE and sends the token instead of a key",
  ],
  ["OAuth with a device", "server/providers/sign-in.test.ts", "signs in after the user enters the code"],
  [
    "the other tool's own sign-in",
    "server/providers/connect.test.ts",
    "offers opencode if it is installed and its sign-in works",
  ],
];

export const events: readonly ContractRow[] = [
  [
    "the types, and done last",
    "transports/ask.test.ts",
    "streams meta, reasoning, tools and checked text, and ends with done",
  ],
  ["nothing after done", "server/transports/http/events.test.ts", "nothing follows done, even after an error"],
  ["text, reasoning and tools of done", "server/protocol/ask.test.ts", "done has the last word"],
  ["usage", "server/agent/agent.test.ts", "sum the tokens of all steps"],
  ["metrics.pricing", "server/operations/cost.test.ts", "an answer says what it cost, and by which prices"],
  ["metrics.pricing may be left out", "server/operations/cost.test.ts", "without a known price there is no cost"],
];

export const errors: readonly ContractRow[] = [
  [
    "1: 400 with the error object",
    "server/transports/http/http.test.ts",
    "POST /config/resources refuses what breaks a rule with 400, the field and why",
  ],
  ["2: error in a stream", "transports/ask.test.ts", "a provider that breaks in the middle ends the stream with error"],
  [
    "2: before the stream",
    "server/transports/http/events.test.ts",
    "a failure before the first event is an ordinary response with its status",
  ],
  ["4: unknown command", "cli/program.test.ts", "wrong usage ends with 2 and says what is wrong"],
  [
    "5: the destination of reference exists",
    "cli/reference.test.ts",
    "anything already in the clone's place is left alone",
  ],
  [
    "5: no usual branch",
    "journeys/git.test.ts",
    "a repository with none of the usual branches asks to be added by name",
  ],
];

export const limits: readonly ContractRow[] = [
  ["resource name", "server/protocol/resource.test.ts", "a name"],
  ["branch", "server/protocol/resource.test.ts", "a branch"],
  ["search path", "server/protocol/resource.test.ts", "a search path"],
  ["package", "server/protocol/resource.test.ts", "a package"],
  ["package version", "server/protocol/resource.test.ts", "a version"],
  ["notes", "server/protocol/resource.test.ts", "notes"],
  ["question length", "transports/ask.test.ts", "100,001 characters are refused"],
  ["resources of a request", "transports/ask.test.ts", "21 resources are refused"],
  ["git URL", "server/protocol/resource.test.ts", "a git URL"],
  ["git URL: no private address", "server/resources/git/address.test.ts", "no literal private address is allowed"],
  [
    "provider timeout, max steps",
    "server/config/config.test.ts",
    "without a file: the defaults and the three default resources",
  ],
  ["ports", "cli/program.test.ts", "serve listens on 8080 by default, and any other command on no port"],
];
