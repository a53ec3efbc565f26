import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type RequestHandler, static as serveFiles } from "express";

/** The scripts of pages: one for each entry of `browser/`. */
export type PageScript = "ask.js" | "list.js" | "resources.js";

/** Serves stylesheet, icon and scripts, as esbuild.mjs builds them from `browser/`. */
export function assets(): RequestHandler {
  const beside = new URL("./pages/", import.meta.url);
  // The sources run without being built, but what browsers load is built.
  const folder = existsSync(beside) ? beside : new URL("../../../dist/chunks/pages/", import.meta.url);
  return serveFiles(fileURLToPath(folder), { index: false, redirect: false, cacheControl: false, lastModified: false });
}
