// `npm run screenshots`: docs/images/ anew, from the extension as it is built, asked of its own source. The model's words are
// a script; what its tools find, and what the citations say, is real. Look at every picture before it is committed.
import { installTestTools } from "./install-test-tools.mjs";
import { prepare } from "./prepare.mjs";

await installTestTools();
prepare();
const { runTypeScript } = await import("./run-typescript.mjs");
await runTypeScript("scripts/screenshots.ts");
