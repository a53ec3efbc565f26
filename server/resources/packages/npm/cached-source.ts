import type { Source } from "../../source.ts";
import { createCachedArchiveSource } from "../cached-archive.ts";
import type { CachedPackage } from "./yarn-cache.ts";

/** Unpacks a package from a zip of yarn's cache. Its methods throw PackageUnreadable. */
export function createCachedSource(cached: CachedPackage): Source {
  return createCachedArchiveSource(cached, {
    id: "yarn-cache",
    place: "yarn's cache",
    advice: "remove it, then run: yarn install",
    folder: `node_modules/${cached.name}/`,
  });
}
