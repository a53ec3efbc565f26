// Writes test/support/editor/themes.json anew, from the VS Code that tests run in.
import { runTypeScript } from "./run-typescript.mjs";

process.env.CITEWELL_VSIX ??= process.argv[2];
await runTypeScript("test/support/editor/collect-themes.ts");
