// Writes docs/examples: the built-in model's answers to typical first questions, as the built CLI prints them.
//   node bench/examples.mjs [--black DIR] [--packages DIR] [--only RESOURCE]
// `--black` is a checkout of psf/black, `--packages` a folder with the projects of `packageProjects`, built with their
// tools; without them those answers are not updated. Answers about packages are made without a network.
// The verdicts in examples-questions.mjs are a person's: read the answers again after a run.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { root } from "../scripts/prepare.mjs";
import { chosenByChance, examples } from "./examples-questions.mjs";
import { packageExamples, packageProjects } from "./package-questions.mjs";

const { values } = parseArgs({
  options: { black: { type: "string" }, packages: { type: "string" }, only: { type: "string" } },
});
const folder = mkdtempSync(path.join(os.tmpdir(), "citewell-examples-"));
const target = path.join(root, "docs", "examples");
const linesQuoted = 8;
const npm = {
  express: "npm:express@5.3.0",
  hono: "npm:hono@4.13.19",
  zod: "npm:zod@4.6.7",
  commander: "npm:commander@14.0.3",
};

/** No registry answers: what is shown comes from this computer. */
const offline = { HTTPS_PROXY: "http://127.0.0.1:9", HTTP_PROXY: "http://127.0.0.1:9", NO_PROXY: "" };

try {
  const places = { citewell: ownTree(), black: values.black };
  const resources = [...new Set(examples.map(({ resource }) => resource))];
  for (const resource of resources) {
    const cwd = places[resource] ?? folder;
    if (resource === "black" && values.black === undefined) continue;
    if (values.only !== undefined && values.only !== resource) continue;
    const own = examples.filter((example) => example.resource === resource);
    const answers = own.map(
      ({ question }) => `## ${question}\n\n${withoutLinks(ask(question, { reference: npm[resource] ?? ".", cwd }))}`,
    );
    const page = `# ${resource}: answers of the built-in model\n\nWritten by \`node bench/examples.mjs\`; the verdicts are in [README.md](README.md).\n\n${answers.join("\n")}`;
    writeFileSync(path.join(target, `${resource}.md`), page);
  }
  for (const { page, title, project } of values.packages === undefined ? [] : packageProjects) {
    if (values.only !== undefined && values.only !== page) continue;
    const own = packageExamples.filter((example) => example.page === page);
    const answers = own.map(({ question, cwd, reference = "." }) => {
      const place = { reference, cwd: path.join(values.packages, cwd) };
      const answer = ask(question, place);
      const about = reference === "." ? "" : `Asked with \`-r ${reference}\`.\n\n`;
      return `## ${question}\n\n${about}${withoutLinks(answer)}\n\`citewell verify\`: ${verify(answer, place)}\n`;
    });
    const intro = `Written by \`node bench/examples.mjs --packages DIR\`, without a network; the verdicts are in [README.md](README.md).`;
    writeFileSync(path.join(target, `${page}.md`), `# ${title}\n\n${intro}\n\n${project}\n\n${answers.join("\n")}`);
  }
  writeFileSync(path.join(target, "README.md"), overview());
} finally {
  rmSync(folder, { recursive: true });
}

/** Shows the beginning of each quoted place only. The rest is in the cited files. */
function shortened(answer) {
  return answer.replace(/^(`{3,})(.*)\n([\s\S]*?)\n\1$/gm, (_, fence, tag, text) => {
    const lines = text.split("\n");
    return [
      fence + tag,
      ...lines.slice(0, linesQuoted),
      ...(lines.length > linesQuoted && lines[linesQuoted - 1] !== "…" ? ["…"] : []),
      fence,
    ].join("\n");
  });
}

/** This repository without the examples: a search would find them instead of the code that they cite. */
function ownTree() {
  const tree = path.join(folder, "citewell");
  mkdirSync(tree);
  const archive = execFileSync("git", ["archive", "HEAD"], { cwd: root, maxBuffer: 1e9 });
  execFileSync("tar", ["-x", "-C", tree, "--exclude", "docs/examples"], { input: archive });
  return tree;
}

/** Links are removed, because they contain paths of this computer. */
function withoutLinks(answer) {
  const text = answer.replace(/\[([^\]\n]*)\]\((?:citewell|file):[^)\n]*\)/g, "`$1`");
  return shortened(text.replaceAll(String.raw`\_`, "_"));
}

/** The last line of what `citewell verify` says about an answer. */
function verify(answer, { cwd }) {
  const file = path.join(folder, "answer.md");
  writeFileSync(file, answer);
  const env = { ...process.env, ...offline, CITEWELL_HOME: path.join(folder, "home") };
  const entry = path.join(root, "dist", "citewell.mjs");
  const { stdout } = spawnSync(process.execPath, [entry, "verify", file], { cwd, env, encoding: "utf8" });
  return /^\d+ citations?: .*$/m.exec(stdout)?.[0] ?? "no citations.";
}

/** Asks through the built CLI. */
function ask(question, { reference, cwd }) {
  const entry = path.join(root, "dist", "citewell.mjs");
  const args = [
    entry,
    "ask",
    "-r",
    reference,
    "--provider",
    "builtin",
    "--model",
    "extractive",
    "--sub-agent",
    "-q",
    question,
  ];
  const net = cwd.startsWith(values.packages ?? "\0") ? offline : {};
  const env = { ...process.env, ...net, CITEWELL_HOME: path.join(folder, "home") };
  const { stdout, status, stderr } = spawnSync(process.execPath, args, { cwd, env, encoding: "utf8", maxBuffer: 1e8 });
  if (status !== 0 && status !== 3) throw new Error(`${question}: ${stderr}`);
  return stdout;
}

function overview() {
  const rowOf = ({ question, resource, isGood, why }, link) =>
    `| ${question} | ${link ? `[${resource}](${resource}.md)` : resource} | ${isGood ? "good" : "poor"} | ${why} |`;
  const countOf = (some) => `${some.filter(({ isGood }) => isGood).length} of ${some.length}`;
  const head = "| question | resource | verdict | reason |\n|---|---|---|---|\n";
  return `# Example answers of the built-in model

These are real answers of \`builtin/extractive\`, which needs no key, to typical first questions. We read each one and asked: would a colleague have sent it? ${countOf(examples)} are good. The pages show the first ${linesQuoted} lines of each quoted place.

- \`node bench/examples.mjs\` regenerates the answers.
- \`bench/examples-questions.mjs\` has the questions and the verdicts.

${head}${examples.map((example) => rowOf(example, true)).join("\n")}

## Dependencies at the installed versions

Questions about what four small projects depend on, built with the real tools of Python, Go, Rust and the JVM. Registries could not be reached. ${countOf(packageExamples)} answers are good; every citation is verified.

${head}${packageExamples.map((example) => rowOf({ ...example, resource: example.page }, true)).join("\n")}

## Chosen by chance

Ten questions of newcomers, chosen by chance from the tuning half of \`npm run bench -- newcomer\`. ${countOf(chosenByChance)} answers are good; they are not kept here.

${head}${chosenByChance.map((example) => rowOf(example, false)).join("\n")}

## Upgrades

[Two upgrade reports, judged by hand](upgrades.md): all seven findings are right, and what each report misses.
`;
}
