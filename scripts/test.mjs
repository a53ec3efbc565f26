// `npm test`: installs test tools, builds, and runs all tests. Arguments are passed to the test runner:
//   npm test -- test/server/citations     some of them; nothing more is installed for these
//   npm test -- --project core            those of a project: core, cli, hosted, browser or editor
//   npm test -- --node 24                 on another Node, which comes from npm: any npm range
//   npm run test:desktop                  the suites of test/extension/host in a desktop VS Code: the one that
//                                         VSCODE_EXECUTABLE names, else one that is downloaded (VSCODE_VERSION)
import path from "node:path";
import { needs, testFiles } from "../test/support/projects.mjs";
import { testedNodes } from "../test/support/nodes/packages.mjs";
import {
  installAgents,
  installBrowser,
  installManagers,
  installNode,
  installNodes,
  installOptionalTools,
  installTestTools,
} from "./install-test-tools.mjs";
import { prepare, root, run } from "./prepare.mjs";

const { nodeVersion, words } = takeNode(process.argv.slice(2));
const isDesktop = words[0] === "--desktop";
const args = isDesktop ? ["test/extension/host.test.ts"] : words;
const env = isDesktop ? { VSCODE_EXECUTABLE: "download", ...process.env } : { ...process.env };

const chosen = isDesktop ? [] : chosenFiles(args);
const isOf = (name) => chosen.some(({ project }) => project === name);
const wants = (kind) => chosen.some(({ file }) => kind.test(file));

if (isOf("editor")) await installTestTools();
else if (isOf("browser")) installBrowser();
// Without PostgreSQL they run on PGlite.
if (isOf("hosted") || isOf("browser")) installOptionalTools(["postgresql"]);
if (wants(needs.multiplexers)) installOptionalTools(["tmux", "screen"]);
if (wants(needs.agents)) installAgents();
if (wants(needs.packageManagers)) installManagers();
if (wants(needs.nodes)) installNodes(testedNodes);
const node = nodeVersion === undefined ? process.execPath : installNode(nodeVersion);
if (node === undefined) {
  process.stderr.write(`citewell: there is no Node ${nodeVersion} to be installed from npm\n`);
  process.exit(1);
}
// Tests that start `node` or `npm` find this version, too.
if (nodeVersion !== undefined) env.PATH = [path.dirname(node), env.PATH].join(path.delimiter);
prepare();
const vitest = path.join(root, "node_modules", "vitest", "vitest.mjs");
run(node, [vitest, "run", ...args], undefined, { stdio: "inherit", env });

/** Takes `--node <version>` from the arguments. */
function takeNode(given) {
  const at = given.indexOf("--node");
  if (at === -1) return { nodeVersion: undefined, words: given };
  return { nodeVersion: given[at + 1] ?? "", words: given.toSpliced(at, 2) };
}

/**
 * The test files that vitest runs for these arguments, each with its project. A word that is part of a file's path
 * selects it, `--project` selects a project; without any, all run.
 */
function chosenFiles(words) {
  const named = words.flatMap((word, index) => {
    if (word === "--project") return words.slice(index + 1, index + 2);
    return word.startsWith("--project=") ? [word.slice("--project=".length)] : [];
  });
  const all = testFiles().filter(({ project }) => named.length === 0 || named.includes(project));
  const parts = words.filter((word, index) => words[index - 1] !== "--project");
  const chosen = all.filter(({ file }) => parts.some((word) => file.includes(word)));
  return chosen.length === 0 ? all : chosen;
}
