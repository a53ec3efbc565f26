import type { Plugin } from "esbuild";

/** Keeps `import.meta.dirname` of bundled modules pointing at their own folder. */
export declare const ownFolders: Plugin;
/** Bundles and runs a TypeScript file; on failure this process exits with its code. */
export declare function runTypeScript(entry: string, args?: readonly string[]): Promise<void>;
