// Prints the figures that tests do not assert. `npm run bench` runs all, `npm run bench -- start` one of them.
//   start     cost of `citewell --version` beside a bare `node -e 0`
//   question  the program's own time and memory for a question of five tool steps on a tree of 5,000 files
//   ready     the first answer of a server that was just started in a project: at once, and after ten seconds
//   folder    the first event of a question about 14,500 files: unchanged, and with one file just written
//   soak      a minute of concurrent use (`--seconds 10` for less): right answers, no leaks, flat memory; Linux only
//   mcp       start of `citewell mcp` to its tools, what a question costs over the pipeline in process, memory; Linux only
//   clients   what coding agents pass to their model of our results: `--clients DIR` has a folder for each, with its
//             package installed (claude, codex, opencode, gemini, copilot, qwen, cline), else those that `npm test` installs;
//             `--server FILE` for another build
//   editor    the extension in a real VS Code: sizes, activation, first event, frames while an answer streams
//   retrieval the questions of bench/retrieval against the committed baseline, which `--update` writes anew; a loss of more
//             than a point fails. Fetches ten repositories from GitHub once; `--repos DIR` has clones named `owner+name`
//   extracts  the built-in provider's answers to questions of the same data against their gold lines and the committed
//             baseline (`--repos`, `--update` and the loss as for retrieval)
//   newcomer  newcomers' questions about public repositories: the built-in provider's extracts and ranked search against
//             the committed baseline (`--repos`, `--update` and the loss as for retrieval). `--only owner/name` for some;
//             `--verbose` lists what is missed
//   history   questions about the history of ten public repositories: whether the built-in provider names the right commit or
//             release, against the committed baseline (`--repos`, `--update`, the loss, `--only` and `--verbose` as for
//             newcomer)
//   history-scale  the history of a million lines and 100,000 commits: time, memory and cancelling of each way to ask;
//             Linux only; `--tree DIR` has such a repository
//   upgrade   reports of real upgrades against what the packages' guides say, from the real registries, against the committed
//             baseline (`--update`, the loss and `--verbose` as for newcomer; `--only express` for some)
//   issues    issues pasted into a ranked search of the code before their fix: whether the files of the fix come first, against
//             the committed baseline (`--update`, the loss, `--only` and `--verbose` as for newcomer; `--half tuning` for one
//             half). `--texts DIR` has the issues' texts and `--repos DIR` the clones (bench/collect-issues.mjs)
//   tune-issues  trains the weights of a pasted issue's lists (`server/retrieval/ranked/rank-issue.ts`) on the tuning half
//             (`--texts` and `--repos` as for issues)
//   grep      exact search in 300 MB beside ripgrep
//   index     building, opening and updating the index of 150 MB, and the memory of a server that searches it; Linux only
//   contexts  what one tenant more costs a process: time and memory of its services and of a call's context
//   terminal  the full screen: first prompt, keys and resizes while a long answer streams; Linux only
//   caching   what ten steps of a question cost with and without the provider's cache
//   economy   what an agent reads until it has seen the lines that answer (`--repos DIR` as for retrieval), beside ripgrep
//   peer      comparison with btca, a similar tool, if it is on PATH or CITEWELL_BENCH_PEER
//             names it; Linux only
//   hosted    the team's service on each engine: start, memory, cost over the pipeline, waiting questions, keys, two nodes;
//             Linux only
//   week      a team's week with the service in ten minutes (`--minutes`): an organization of 300 (`--repositories`), five people with
//             different rights, three agents, an upgrade, a worker killed, the git host and the database away; needs PostgreSQL
//             and, for data of an earlier version, this repository's history
//   scale     a simulation of the service at 100,000 projects (docs/development/scale.md)
//   hostile   a million files, lines of megabytes, patterns without an end: time and memory, each with its bound; Linux only
import { spawnSync } from "node:child_process";
import path from "node:path";
import { parseArgs } from "node:util";
import { installTestTools } from "../scripts/install-test-tools.mjs";
import { prepare, root } from "../scripts/prepare.mjs";

const benches = {
  start: "bench/start.ts",
  question: "bench/question.ts",
  ready: "bench/ready.ts",
  folder: "bench/folder.ts",
  soak: "bench/soak.ts",
  mcp: "bench/mcp.ts",
  retrieval: "bench/retrieval.ts",
  grep: "bench/grep.ts",
  index: "bench/index.ts",
  peer: "bench/peer.ts",
  hosted: "bench/hosted.ts",
  week: "bench/week.ts",
  scale: "bench/scale.ts",
  hostile: "bench/hostile.ts",
  contexts: "bench/contexts.ts",
  clients: "bench/clients.ts",
  terminal: "bench/terminal.ts",
  caching: "bench/caching.ts",
  economy: "bench/economy.ts",
  extracts: "bench/extracts.ts",
  newcomer: "bench/newcomer.ts",
  history: "bench/history.ts",
  "history-scale": "bench/history-scale.ts",
  upgrade: "bench/upgrade.ts",
  issues: "bench/issues.ts",
  "tune-issues": "bench/tune-issues.ts",
};
const { positionals: wanted, values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    minutes: { type: "string", default: "10" },
    repositories: { type: "string", default: "300" },
    repos: { type: "string" },
    tree: { type: "string" },
    texts: { type: "string" },
    half: { type: "string" },
    update: { type: "boolean" },
    clients: { type: "string" },
    server: { type: "string", default: "dist/citewell.mjs" },
    only: { type: "string", multiple: true, default: [] },
    verbose: { type: "boolean" },
  },
  allowPositionals: true,
});

const copies = values.repos === undefined ? [] : ["--repos", values.repos];
const againstBaseline = [...copies, ...(values.update ? ["--update"] : [])];
const named = [...values.only.flatMap((id) => ["--only", id]), ...(values.verbose ? ["--verbose"] : [])];
const ofRepositories = [...named, ...againstBaseline];
const optionsOf = {
  soak: ["--seconds", values.seconds],
  week: ["--minutes", values.minutes, "--repositories", values.repositories],
  clients: [
    ...(values.clients === undefined ? [] : ["--clients", values.clients]),
    "--server",
    values.server,
    ...named,
  ],
  retrieval: againstBaseline,
  extracts: againstBaseline,
  economy: copies,
  newcomer: ofRepositories,
  history: ofRepositories,
  "history-scale": values.tree === undefined ? [] : ["--tree", values.tree],
  upgrade: [...named, ...(values.update ? ["--update"] : [])],
  "tune-issues": [...copies, ...(values.texts === undefined ? [] : ["--texts", values.texts])],
  issues: [
    ...ofRepositories,
    ...(values.texts === undefined ? [] : ["--texts", values.texts]),
    ...(values.half === undefined ? [] : ["--half", values.half]),
  ],
};

if (wanted.length === 0 || wanted.includes("editor")) await installTestTools();
prepare();
const { build } = await import("esbuild");
const { ownFolders, runTypeScript } = await import("../scripts/run-typescript.mjs");
const { nodeOptions } = await import("../esbuild.mjs");
for (const [name, entry] of Object.entries(benches)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const outfile = path.join(root, "node_modules", ".cache", "bench", `${name}.mjs`);
  await build({
    ...nodeOptions,
    splitting: false,
    // These bring files of their own.
    external: ["@vscode/ripgrep", "@lydell/node-pty", "@electric-sql/pglite", "pg"],
    plugins: [ownFolders],
    entryPoints: [path.join(root, entry)],
    outfile,
  });
  const { status } = spawnSync(process.execPath, ["--expose-gc", outfile, ...(optionsOf[name] ?? [])], {
    cwd: root,
    stdio: "inherit",
  });
  if (status !== 0) process.exit(status ?? 1);
}
if (wanted.length === 0 || wanted.includes("editor")) await runTypeScript("bench/editor.ts");
