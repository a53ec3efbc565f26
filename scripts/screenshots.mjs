// `npm run screenshots`: regenerates docs/images/ from the built extension and command line, with questions about its own
// source. The model is scripted; tool results and citations are real. Review each picture before committing it.
import { installTestTools } from "./install-test-tools.mjs";
import { prepare } from "./prepare.mjs";

await installTestTools();
prepare();
const { runTypeScript } = await import("./run-typescript.mjs");
await runTypeScript("scripts/screenshots.ts");
await runTypeScript("scripts/terminal-picture.ts");
