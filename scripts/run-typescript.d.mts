import type { Plugin } from "esbuild";

export declare const ownFolders: Plugin;
export declare function runTypeScript(entry: string, args?: readonly string[]): Promise<void>;
