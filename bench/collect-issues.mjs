// Writes bench/issues.ndjson and the texts of its issues: `node bench/collect-issues.mjs --mirrors DIR --texts DIR`.
//
// DIR of `--mirrors` has clones with their whole histories, as `owner+name` or `owner+name/repo`: those of the repositories
// below, and those of public benchmarks, whose files have the issues' texts (`sources`). A source names the pull request
// that fixed an issue. What it merged gives the base (its first parent) and the files. Texts go to `--texts`, as
// `owner+name/number.md`, and never into this repository; the list has their SHA-256. `--given DIR` has texts that were looked
// up by hand, as `owner+name/number.md` with the issue's number: their fix is the commit that says that it closes it. Left
// out: fixes of more than four source files or of none, texts that are empty, and texts that have the fix.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";

/** The most issues of one repository: many of one say little about others. */
const mostOfRepository = 12;
const mostGold = 4;

/** Each with its half: one half of them is for tuning, of the other only the totals are read. */
const repositories = {
  tuning: [
    "clap-rs/clap",
    "tokio-rs/bytes",
    "tokio-rs/axum",
    "chronotope/chrono",
    "mozilla/cbindgen",
    "BurntSushi/ripgrep",
    "cargo-generate/cargo-generate",
    "FasterXML/jackson-databind",
    "apache/rocketmq",
    "serverless/serverless",
    "tailwindlabs/tailwindcss",
    "keras-team/keras",
    "containers/podman-compose",
    "ansible/ansible-lint",
    "pinterest/ktlint",
    "grpc/grpc-go",
    "junegunn/fzf",
    "sinatra/sinatra",
    "guzzle/guzzle",
  ],
  deciding: [
    "rinja-rs/askama",
    "tokio-rs/tokio",
    "tokio-rs/tracing",
    "sharkdp/bat",
    "async-graphql/async-graphql",
    "nushell/nushell",
    "sharkdp/fd",
    "killercup/cargo-edit",
    "FasterXML/jackson-core",
    "google/gson",
    "apolloconfig/apollo",
    "apache/dubbo",
    "sveltejs/svelte",
    "prettier/prettier",
    "coder/code-server",
    "yt-dlp/yt-dlp",
    "detekt/detekt",
    "go-task/task",
    "etcd-io/etcd",
    "sidekiq/sidekiq",
  ],
};

const languages = {
  Rust: /\.rs$/,
  Java: /\.java$/,
  Kotlin: /\.kt$/,
  JavaScript: /\.(?:[cm]?jsx?|svelte|vue)$/,
  TypeScript: /\.[cm]?tsx?$/,
  Python: /\.pyi?$/,
  Go: /\.go$/,
  Ruby: /\.rb$/,
  PHP: /\.php$/,
};
const test =
  /(?:^|\/)(?:tests?|__tests__|testing|specs?|fixtures?|snapshots?|e2e|benches|benchmarks?|examples?|docs?|testdata)\/|(?:^|\/)(?:test_[^/]*|[^/]*(?:[_.-]tests?|[_.-]spec|Tests?|TestCase)|tests?|conftest)\.\w+$/;

/** Where texts come from: all yield `{ repo, number, text }`, and `isIssue` if the number is the issue's. */
const sources = [
  function* rustSweBench() {
    const clone = gitOf("GhabiX/Rust-SWE-Bench");
    if (clone === undefined) return;
    const texts = JSON.parse(clone("show", "HEAD:RustForger/data/rb_all_bug_report.json"));
    for (const [id, text] of Object.entries(texts)) yield { ...parseId(id), text };
  },
  function* polyBench() {
    const clone = gitOf("amazon-science/SWE-PolyBench");
    if (clone === undefined) return;
    const folders = {
      "evaluation/PBVerified/20251208_atlassian-rovo-dev/trajs":
        /<problem_statement>\n([\s\S]*?)\n?<\/problem_statement>/,
      "evaluation/PB/20260201_iswe_agent/trajs": /--- BEGIN ISSUE ---\n([\s\S]*?)\n *--- END ISSUE ---/,
      "evaluation/PBVerified/20260422_iswe_agent/trajs": /--- BEGIN ISSUE ---\n([\s\S]*?)\n *--- END ISSUE ---/,
    };
    for (const [folder, pattern] of Object.entries(folders)) {
      for (const name of filesIn(clone, "submission", folder)) {
        const [, text] = pattern.exec(clone("show", `submission:${folder}/${name}`)) ?? [];
        if (text !== undefined) yield { ...parseId(name.replace(/\.\w+$/, "")), text: withoutIndent(text) };
      }
    }
  },
  function* multiSweBench() {
    const clone = gitOf("multi-swe-bench/experiments");
    if (clone === undefined) return;
    const folder = "evaluation/java/verified/20240825_SWE-agent_doubao-pro-128k/trajs";
    for (const name of filesIn(clone, "HEAD", folder)) {
      const { history } = JSON.parse(clone("show", `HEAD:${folder}/${name}`));
      const asked = history.find(({ role, is_demo }) => role === "user" && is_demo !== true)?.content ?? "";
      const [, text] = /\nISSUE:\n([\s\S]*?)\n+INSTRUCTIONS:/.exec(asked) ?? [];
      if (text !== undefined) yield { ...parseId(name.replace(/\.traj$/, "")), text };
    }
  },
  function* kotlinSweBench() {
    const clone = gitOf("ifabrish/kotlin-swe-bench");
    if (clone === undefined) return;
    for (const name of filesIn(clone, "HEAD", "tasks")) {
      const [, ...issues] = clone("show", `HEAD:tasks/${name}/instruction.md`).split(/^## Issue #\d+ \S+: /m);
      const { 1: owner, 2: repository } = /_owner = "(.+)"\nrepository_name = "(.+)"/.exec(
        clone("show", `HEAD:tasks/${name}/task.toml`),
      );
      const number = Number(/\d+$/.exec(name)?.[0]);
      if (issues.length === 1) yield { repo: `${owner}/${repository}`, number, text: issues[0] };
    }
  },
  function* sweBenchify() {
    const clone = gitOf("Red-Hat-AI-Innovation-Team/SWE-benchify");
    if (clone === undefined) return;
    for (const file of [
      "output/rh-v1/all-task-instances.jsonl",
      "output/instances-python.jsonl",
      "output/go-v1/all-task-instances.jsonl",
    ]) {
      for (const line of clone("show", `HEAD:${file}`).trimEnd().split("\n")) {
        const task = JSON.parse(line);
        if (task.provenance === "public_upstream") yield { ...parseId(task.instance_id), text: task.problem_statement };
      }
    }
  },
  function* given() {
    if (values.given === undefined) return;
    for (const name of readdirSync(values.given)) {
      for (const file of readdirSync(path.join(values.given, name))) {
        const text = readFileSync(path.join(values.given, name, file), "utf8");
        yield { repo: name.replace("+", "/"), number: Number(path.parse(file).name), text, isIssue: true };
      }
    }
  },
];

const { values } = parseArgs({
  options: { mirrors: { type: "string" }, texts: { type: "string" }, given: { type: "string" } },
});
if (values.mirrors === undefined || values.texts === undefined) throw new Error("--mirrors and --texts say where");

const found = new Map();
for (const source of sources) {
  for (const { repo, number, text, isIssue } of source()) {
    const key = `${repo.toLowerCase()} ${number}`;
    const tidy = text.replaceAll("\r\n", "\n").trim();
    if (tidy !== "" && !found.has(key)) found.set(key, { number, text: tidy, isIssue });
  }
}
const entries = [];
for (const [half, names] of Object.entries(repositories)) {
  for (const repo of names) {
    const own = entriesOf(repo, half);
    console.log(`issues: ${repo}, ${half}: ${own.length}`);
    entries.push(...own.slice(0, mostOfRepository));
  }
}
for (const { text, ...entry } of entries) {
  const file = path.join(values.texts, entry.repo.replace("/", "+"), `${entry.number}.md`);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
writeFileSync("bench/issues.ndjson", entries.map(({ text: _text, ...entry }) => `${JSON.stringify(entry)}\n`).join(""));
console.log(`issues: ${entries.length} in bench/issues.ndjson`);

function entriesOf(repo, half) {
  const clone = gitOf(repo);
  if (clone === undefined) return [];
  const merged = mergedBy(clone);
  const closed = closedBy(clone);
  return [...found]
    .filter(([key]) => key.startsWith(`${repo.toLowerCase()} `))
    .flatMap(([, { number, text, isIssue }]) => {
      const fix = isIssue ? closed.get(number) : merged.get(number);
      if (fix === undefined) return [];
      const [commit] = fix.parents;
      const gold = goldOf(clone, commit, fix.hash);
      if (gold.length === 0 || gold.length > mostGold || hasFix(text, clone, commit, fix.hash)) return [];
      if (!isWhole(clone, commit)) return [];
      const sha256 = createHash("sha256").update(text).digest("hex");
      return [{ repo, commit, number, language: languageOf(gold[0]), half, gold, sha256, text }];
    })
    .sort((a, b) => (a.sha256 < b.sha256 ? -1 : 1));
}

/** The commits that merged pull requests, by the number of each. */
function mergedBy(clone) {
  const merged = new Map();
  for (const line of clone("log", "--all", "--format=%H%x09%P%x09%s").split("\n")) {
    const [hash, parents = "", subject = ""] = line.split("\t");
    const [, number] =
      /^Merge pull request #(\d+) /.exec(subject) ??
      /\(#(\d+)\)$/.exec(subject) ??
      /^Merge #(\d+)\b/.exec(subject) ??
      [];
    // The last one listed is the first of all: later ones are taken over to other branches.
    if (number !== undefined && parents !== "") merged.set(Number(number), { hash, parents: parents.split(" ") });
  }
  return merged;
}

/** The commits that say that they close an issue, by its number; none where several say so. */
function closedBy(clone) {
  const closed = new Map();
  for (const entry of clone("log", "--format=%x01%H%x09%P%x09%s%n%b").split("\u0001").slice(1)) {
    const [hash, parents = "", message = ""] = entry.split("\t");
    for (const [, number] of message.matchAll(/\b(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?):? #(\d+)/gi))
      closed.set(Number(number), closed.has(Number(number)) ? undefined : { hash, parents: parents.split(" ") });
  }
  return closed;
}

/** Source files that the fix changed and that were there before. */
function goldOf(clone, base, fix) {
  return clone("diff", "--name-status", "--no-renames", "--diff-filter=MD", base, fix)
    .split("\n")
    .flatMap((line) => line.split("\t").slice(1))
    .filter((file) => languageOf(file) !== undefined && !test.test(file));
}

/** Copies of repositories may lack large files. */
function isWhole(clone, commit) {
  const listed = clone("ls-tree", "-r", "--format=%(objecttype) %(objectname)", commit).split("\n");
  const objects = listed.flatMap((line) => (line.startsWith("blob ") ? [line.slice("blob ".length)] : [])).join("\n");
  return !/ missing$/m.test(clone.given(objects)("cat-file", "--batch-check"));
}

/** Whether most of the longer lines that the fix added stand in the text, or it has a diff. */
function hasFix(text, clone, base, fix) {
  if (/^(?:diff --git |@@ -\d)/m.test(text)) return true;
  const added = clone("diff", "--unified=0", base, fix)
    .split("\n")
    .filter((line) => /^\+(?!\+\+ )/.test(line) && line.trim().length > 20)
    .map((line) => line.slice(1).trim());
  return added.length > 0 && added.filter((line) => text.includes(line)).length > added.length / 3;
}

function languageOf(file) {
  return Object.keys(languages).find((language) => languages[language].test(file));
}

function parseId(id) {
  const [, owner, name, number] = /^(.+?)__(.+)-(\d+)$/.exec(id) ?? [];
  return { repo: `${owner}/${name}`, number: Number(number) };
}

function withoutIndent(text) {
  const indents = text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => /^ */.exec(line)?.[0].length ?? 0);
  const indent = Math.min(...indents);
  return text
    .split("\n")
    .map((line) => line.slice(indent))
    .join("\n");
}

function filesIn(clone, branch, folder) {
  return clone("ls-tree", "--name-only", `${branch}:${folder}`).trimEnd().split("\n");
}

function gitOf(repo) {
  const folder = path.resolve(values.mirrors, repo.replace("/", "+"));
  if (!existsSync(folder)) return undefined;
  const inside = path.join(folder, "repo");
  const cwd = existsSync(inside) ? inside : folder;
  const given =
    (input) =>
    (...args) =>
      execFileSync("git", args, {
        cwd,
        input,
        encoding: "utf8",
        maxBuffer: 2 ** 30,
        stdio: ["pipe", "pipe", "ignore"],
      });
  return Object.assign(given(""), { given });
}
