import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import semver from "semver";
import * as z from "zod";
import { name, private as isPrivate, version } from "../package.json";
import type { ConfigLocation } from "../server/config/config.ts";
import { readNetworkSettings } from "../server/config/environment.ts";
import { ecosystems } from "../server/resources/packages/ecosystems.ts";
import { latestVersion } from "../server/resources/packages/packages.ts";
import { replaceFile } from "../server/lib/replace-file.ts";

/** The latest published version, and when it was looked up. */
export interface LatestVersion {
  /** The newest published one, as far as it is known. */
  version: string | null;
  isNewer: boolean;
}

const Remembered = z.object({ version: z.string().nullable(), checkedAt: z.number() });

const dayMs = 24 * 3600 * 1000;
const lookUpMs = 2000;

/**
 * False while package.json is private: the name on npm is not ours then, and a version found under it is someone else's
 * program.
 */
export const isPublished = !isPrivate;

/**
 * The newest version of this program: the one found within the last day, else the one that the user's registry returns
 * within two seconds. No request is made where `isQuiet`, in CI, or with `CITEWELL_NO_UPDATE_CHECK` set.
 */
export async function readLatestVersion({
  location,
  dataDirectory,
  isQuiet,
}: {
  location: ConfigLocation;
  dataDirectory: string;
  isQuiet: boolean;
}): Promise<LatestVersion> {
  const file = path.join(dataDirectory, "latest-version.json");
  const known = await readRemembered(file);
  const isFresh = known !== undefined && Date.now() - known.checkedAt < dayMs;
  const mayAsk = !isQuiet && !location.env["CI"] && !location.env["CITEWELL_NO_UPDATE_CHECK"];
  const latest = isFresh || !mayAsk ? (known?.version ?? null) : await lookUp(location);
  if (!isFresh && mayAsk) await remember(file, latest);
  return { version: latest, isNewer: latest !== null && semver.valid(latest) !== null && semver.gt(latest, version) };
}

async function readRemembered(file: string): Promise<z.infer<typeof Remembered> | undefined> {
  try {
    return Remembered.parse(JSON.parse(await readFile(file, "utf8")));
  } catch {
    return undefined;
  }
}

async function lookUp(location: ConfigLocation): Promise<string | null> {
  try {
    const network = await readNetworkSettings(location);
    return await latestVersion(ecosystems.npm, name, { location, network, signal: AbortSignal.timeout(lookUpMs) });
  } catch {
    return null;
  }
}

/** Not being able to remember costs another look-up, no more. */
async function remember(file: string, latest: string | null): Promise<void> {
  try {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await replaceFile(file, JSON.stringify({ version: latest, checkedAt: Date.now() }));
  } catch {
    return;
  }
}
