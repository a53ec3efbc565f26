// Regenerates test/support/editor/themes.json from the VS Code of the tests.
import { runTypeScript } from "./run-typescript.mjs";

process.env.CITEWELL_VSIX ??= process.argv[2];
await runTypeScript("test/support/editor/collect-themes.ts");
