// `npm test`: installs test tools, builds, and runs all tests. Arguments are passed to the test runner:
//   npm test -- test/server/citations     some of them; nothing more is installed for these
//   npm run test:desktop                  the suites of test/extension/host in a desktop VS Code: the one that
//                                         VSCODE_EXECUTABLE names, else one that is downloaded (VSCODE_VERSION)
import { readdirSync } from "node:fs";
import path from "node:path";
import { installAgents, installManagers, installOptionalTools, installTestTools } from "./install-test-tools.mjs";
import { prepare, root, run } from "./prepare.mjs";

/** As in vitest.config.ts. */
const ofEditor =
  /^test\/(?:extension\/(?:(?:ui|webview)\/|(?:host|package)\.test\.ts$)|server\/hosted\/web\/pages\/[\w-]*browser\.test\.ts$)/;
/** These run on PGlite, and on PostgreSQL where it is installed. */
const ofHosted = /^test\/server\/hosted\//;
/** These run in a bare terminal, and in the multiplexers that are installed. */
const ofTerminal = /^test\/cli\/tui\//;

/** Other makers' agents, with the settings that we print for them. */
const ofAgents = /^test\/journeys\/agents\.test\.ts$/;
/** Projects that pnpm, yarn and bun install. */
const ofManagers = /^test\/server\/resources\/npm\/installed-trees\.test\.ts$/;

const isDesktop = process.argv[2] === "--desktop";
const args = isDesktop ? ["test/extension/host.test.ts"] : process.argv.slice(2);
const env = isDesktop ? { VSCODE_EXECUTABLE: "download", ...process.env } : process.env;

if (!isDesktop && wants(ofEditor, args)) await installTestTools();
if (!isDesktop && wants(ofHosted, args)) installOptionalTools(["postgresql"]);
if (!isDesktop && wants(ofTerminal, args)) installOptionalTools(["tmux", "screen"]);
if (!isDesktop && wants(ofAgents, args)) installAgents();
if (!isDesktop && wants(ofManagers, args)) installManagers();
prepare();
const vitest = path.join(root, "node_modules", "vitest", "vitest.mjs");
run(process.execPath, [vitest, "run", ...args], undefined, { stdio: "inherit", env });

/** Arguments that match part of a test file's path select files, as in vitest; without any, all tests run. */
function wants(kind, words) {
  const files = readdirSync(path.join(root, "test"), { recursive: true })
    .map((file) => `test/${file.split(path.sep).join("/")}`)
    .filter((file) => file.endsWith(".test.ts"));
  const chosen = files.filter((file) => words.some((word) => file.includes(word)));
  return (chosen.length === 0 ? files : chosen).some((file) => kind.test(file));
}
