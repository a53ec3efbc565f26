// Writes docs/examples: the built-in model's answers to typical first questions, as the built CLI prints them.
//   node bench/examples.mjs [--black DIR]   DIR is a checkout of psf/black; without it those answers are not updated
// The verdicts in examples-questions.mjs are a person's: read the answers again after a run.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { root } from "../scripts/prepare.mjs";
import { chosenByChance, examples } from "./examples-questions.mjs";

const { values } = parseArgs({ options: { black: { type: "string" } } });
const folder = mkdtempSync(path.join(os.tmpdir(), "citewell-examples-"));
const target = path.join(root, "docs", "examples");
const linesQuoted = 8;
const npm = {
  express: "npm:express@5.3.0",
  hono: "npm:hono@4.13.19",
  zod: "npm:zod@4.6.7",
  commander: "npm:commander@14.0.3",
};

try {
  const places = { citewell: ownTree(), black: values.black };
  const resources = [...new Set(examples.map(({ resource }) => resource))];
  for (const resource of resources) {
    const cwd = places[resource] ?? folder;
    if (resource === "black" && values.black === undefined) continue;
    const own = examples.filter((example) => example.resource === resource);
    const answers = own.map(
      ({ question }) => `## ${question}\n\n${shortened(ask(question, { reference: npm[resource] ?? ".", cwd }))}`,
    );
    const page = `# ${resource}: answers of the built-in model\n\nWritten by \`node bench/examples.mjs\`; the verdicts are in [README.md](README.md).\n\n${answers.join("\n")}`;
    writeFileSync(path.join(target, `${resource}.md`), page);
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

/** Asks through the built CLI. Links are removed, because they contain paths of this computer. */
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
  const env = { ...process.env, CITEWELL_HOME: path.join(folder, "home") };
  const { stdout, status, stderr } = spawnSync(process.execPath, args, { cwd, env, encoding: "utf8", maxBuffer: 1e8 });
  if (status !== 0 && status !== 3) throw new Error(`${question}: ${stderr}`);
  return stdout.replace(/\[([^\]\n]*)\]\((?:citewell|file):[^)\n]*\)/g, "`$1`").replaceAll(String.raw`\_`, "_");
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

## Chosen by chance

Ten questions of newcomers, chosen by chance from the tuning half of \`npm run bench -- newcomer\`. ${countOf(chosenByChance)} answers are good; they are not kept here.

${head}${chosenByChance.map((example) => rowOf(example, false)).join("\n")}
`;
}
