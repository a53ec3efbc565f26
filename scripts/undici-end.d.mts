import type { Plugin } from "esbuild";

export const withoutPausedEnd: Plugin;
