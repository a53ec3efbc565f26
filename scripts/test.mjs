// `npm test`: installs what tests need, builds, runs all of them. Arguments go to the test runner:
//   npm test -- test/server/citations
import path from "node:path";
import { prepare, root, run } from "./prepare.mjs";

prepare();
const vitest = path.join(root, "node_modules", "vitest", "vitest.mjs");
run(process.execPath, [vitest, "run", ...process.argv.slice(2)], undefined, { stdio: "inherit" });
