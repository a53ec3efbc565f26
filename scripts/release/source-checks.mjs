import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import semver from "semver";
import { root } from "../prepare.mjs";

const readText = (name) => readFile(path.join(root, name), "utf8");

export async function readManifest() {
  return JSON.parse(await readText("package.json"));
}

/** Checks the checkout. Each check has a `claim` and, if it fails, a `fault`. */
export async function* checkSource() {
  const manifest = await readManifest();
  const { version } = manifest;
  yield {
    // The Marketplace does not support version suffixes.
    claim: `the version ${version} is three numbers`,
    ...(semver.valid(version) === version && /^[\d.]+$/.test(version) ? {} : { fault: "for example 1.2.0" }),
  };
  yield {
    claim: "package.json is not private",
    ...(manifest.private === false
      ? {}
      : { fault: `set "private": false once the names are yours (CONTRIBUTING.md, "Releasing")` }),
  };
  yield { claim: "package-lock.json is of this version, without registry addresses", ...(await checkLock(manifest)) };
  yield { claim: "CHANGELOG.md has this version with its date", ...(await checkChangelog(version)) };
  yield { claim: "everything is committed", ...checkTree() };
  yield { claim: `the tag v${version} is free, or this commit's`, ...checkTag(version) };
}

async function checkLock({ version }) {
  const text = await readText("package-lock.json");
  const lock = JSON.parse(text);
  if (lock.version !== version) return { fault: `it says ${lock.version}; run npm install --package-lock-only` };
  return /"resolved": "https?:/.test(text) ? { fault: `it has "resolved" addresses` } : {};
}

/** Requires a heading for this version and an empty Unreleased section (https://keepachangelog.com). */
async function checkChangelog(version) {
  const sections = (await readText("CHANGELOG.md")).split(/^## /m);
  const unreleased = sections.find((section) => section.startsWith("[Unreleased]"));
  const section = sections.find((candidate) => candidate.startsWith(`[${version}]`));
  const [heading = "", ...lines] = (section ?? "").split("\n");
  const date = /^\[[^\]]+\] - (\d{4}-\d{2}-\d{2})$/.exec(heading)?.[1];
  if (date === undefined || Number.isNaN(Date.parse(date)))
    return { fault: `no heading "## [${version}] - YYYY-MM-DD"` };
  if (lines.join("").trim() === "") return { fault: `nothing is listed under ${version}` };
  const rest = unreleased?.replace("[Unreleased]", "").trim() ?? "";
  return rest === "" ? {} : { fault: "[Unreleased] still lists changes" };
}

function checkTree() {
  const { status, stdout } = git(["status", "--porcelain"]);
  if (status !== 0) return { fault: "this is not a git checkout" };
  const changed = stdout.trimEnd();
  return changed === "" ? {} : { fault: `git status lists ${changed.split("\n").length} changed files` };
}

function checkTag(version) {
  const tag = `refs/tags/v${version}`;
  const head = git(["rev-parse", "HEAD"]).stdout.trim();
  const local = git(["rev-parse", "--verify", "--quiet", `${tag}^{commit}`]).stdout.trim();
  if (local !== "" && local !== head) return { fault: `it is at ${local.slice(0, 12)}` };
  if (git(["remote"]).stdout.trim() === "") return {};
  const { status, stdout } = git(["ls-remote", "--tags", "origin", tag]);
  if (status !== 0) return { fault: "origin could not be reached" };
  const [remote = ""] = stdout.split("\t");
  return remote === "" || remote === head ? {} : { fault: `origin has it at ${remote.slice(0, 12)}` };
}

function git(words) {
  return spawnSync("git", words, { cwd: root, encoding: "utf8" });
}
