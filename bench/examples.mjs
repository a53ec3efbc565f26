// Writes docs/examples: the answers of the built-in model to questions that newcomers ask, as the built CLI prints them.
//   node bench/examples.mjs [--black DIR]   DIR is a checkout of psf/black; without it those answers stay as they are
// The verdicts are a person's, in the table below: read the answers again after a run.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { root } from "../scripts/prepare.mjs";
import { examples } from "./examples-questions.mjs";

const { values } = parseArgs({ options: { black: { type: "string" } } });
const folder = mkdtempSync(path.join(os.tmpdir(), "citewell-examples-"));
const target = path.join(root, "docs", "examples");
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
      ({ question }) => `## ${question}\n\n${ask(question, { reference: npm[resource] ?? ".", cwd })}`,
    );
    const page = `# ${resource}, as the built-in model answers\n\nWritten by \`node bench/examples.mjs\`; the verdicts are in [README.md](README.md).\n\n${answers.join("\n")}`;
    writeFileSync(path.join(target, `${resource}.md`), page);
  }
  writeFileSync(path.join(target, "README.md"), overview());
} finally {
  rmSync(folder, { recursive: true });
}

/** This repository without the examples, which would be found in place of what they cite. */
function ownTree() {
  const tree = path.join(folder, "citewell");
  mkdirSync(tree);
  const archive = execFileSync("git", ["archive", "HEAD"], { cwd: root, maxBuffer: 1e9 });
  execFileSync("tar", ["-x", "-C", tree, "--exclude", "docs/examples"], { input: archive });
  return tree;
}

/** Without links, which name places of this computer; headings within the answer go below the question's. */
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
  const glad = examples.filter((example) => example.isGlad).length;
  const rows = examples.map(({ question, resource, isGlad, why }) => {
    return `| ${question} | [${resource}](${resource}.md) | ${isGlad ? "glad" : "not"} | ${why} |`;
  });
  return `# What newcomers ask, and what the built-in model answers

The real answers of \`builtin/extractive\`, without a key, each read by us: would a colleague have sent it? ${glad} of ${examples.length} are ones to be glad of. \`node bench/examples.mjs\` writes the answers anew; the verdicts are kept in \`bench/examples-questions.mjs\`. [Ten more questions about Citewell](extracts.md).

| question | resource | verdict | why |
|---|---|---|---|
${rows.join("\n")}
`;
}
