import { unescape } from "node:querystring";
import semver from "semver";
import * as z from "zod";
import { ownValue } from "../../files.ts";
import { highest, type Locked, lockedOf, type LockfileQuestion } from "./lockfile.ts";
import { parseEntries } from "./yaml.ts";

/** A block of the file: the descriptors (`zod@^4.0.0`), and the package that they resolve to. */
interface Block {
  descriptors: readonly string[];
  /** `zod@npm:4.0.0`; absent in the classic format. */
  resolution?: string | undefined;
  version?: string | undefined;
  integrity?: string | undefined;
}

/** `yarn.lock`, classic (version 1) and berry, which is YAML with `__metadata`. */
export function readYarnLock(text: string, question: LockfileQuestion): Locked | undefined {
  const name = question.package;
  const blocks = /^__metadata:/m.test(text) ? withYarnsPatches(berryBlocks(text, name)) : classicBlocks(text);
  const ofPackage = blocks.filter(({ descriptors }) => descriptors.some((it) => nameOf(it) === name));
  const direct = wantedRanges(question)
    .map((range) => ofPackage.find(({ descriptors }) => descriptors.some((it) => isRange(it, name, range))))
    .find((block) => block !== undefined);
  if (direct !== undefined) return toLocked(direct, name);
  const locked = ofPackage.map((block) => toLocked(block, name));
  return locked.find((it) => it?.locator?.isPatched) ?? highest(locked);
}

/** Yarn replaces the range by the entry of `resolutions` for the package, at that range or at any. */
function wantedRanges({ package: name, wanted, resolutions }: LockfileQuestion): string[] {
  const keys = [`${name}@npm:${wanted}`, `${name}@${wanted}`, name, `**/${name}`];
  return [...keys.map((key) => ownValue(resolutions, key)), wanted].filter((range) => range !== undefined);
}

/** Yarn appends `::` and bindings to descriptors. */
function isRange(descriptor: string, name: string, range: string): boolean {
  return [`${name}@${range}`, `${name}@npm:${range}`].some(
    (it) => descriptor === it || descriptor.startsWith(`${it}::`),
  );
}

function toLocked({ descriptors, resolution, version, integrity }: Block, name: string): Locked | undefined {
  if (resolution !== undefined) return resolutionToLocked(resolution, version);
  if (version === undefined) return undefined;
  // The classic format also has a version for git and file dependencies; only the descriptors show the origin.
  const ranges = descriptors.map(rangeOf);
  const alias = ranges.find((range) => range.startsWith("npm:"));
  if (alias !== undefined) return lockedOf(nameOf(alias.slice("npm:".length)), version, integrity);
  const elsewhere = ranges.find((range) => /[:/]/.test(range));
  return lockedOf(name, elsewhere ?? version, integrity);
}

/** Yarn's built-in patches can be ignored; with a patch of the project, the published package is another one. */
function resolutionToLocked(resolution: string, version: string | undefined): Locked {
  const { source, isPatched } = unpatch(resolution);
  const reference = rangeOf(source).replace(/::.*$/, "");
  const locked: Locked = isPatched
    ? { type: "elsewhere", origin: "a patch" }
    : lockedOf(nameOf(source), reference, undefined);
  if (version === undefined || semver.valid(version) === null) return locked;
  return { ...locked, locator: { name: nameOf(resolution), reference: rangeOf(resolution), version, isPatched } };
}

/**
 * The package below all patches: for `a@patch:a@npm%3A1.0.0#~/.yarn/patches/a.patch::version=1.0.0&hash=1f2e3d` it is
 * `a@npm:1.0.0` (https://yarnpkg.com/protocol/patch).
 */
function unpatch(resolution: string): { source: string; isPatched: boolean } {
  const patch = patchOf(resolution);
  if (patch === undefined) return { source: resolution, isPatched: false };
  const { source, isPatched } = unpatch(patch.source);
  return { source, isPatched: isPatched || !patch.isYarns };
}

function patchOf(resolution: string): { source: string; isYarns: boolean } | undefined {
  const patch = /^patch:([^#]*)#(.*?)(?:::.*)?$/.exec(rangeOf(resolution));
  if (patch?.[1] === undefined || patch[2] === undefined) return undefined;
  const files = patch[2].split("&");
  return { source: unescape(patch[1]), isYarns: files.every((file) => /^(?:~|\w+!)*builtin</.test(file)) };
}

/** Yarn patches a few packages everywhere, for compatibility: replaces those packages by their patched versions. */
function withYarnsPatches(blocks: readonly Block[]): Block[] {
  const patchedBy = new Map<string | undefined, Block>();
  for (const block of blocks) {
    const patch = patchOf(block.resolution ?? "");
    if (patch?.isYarns) patchedBy.set(patch.source, block);
  }
  return blocks.map((block) => {
    const { resolution, version } = patchedBy.get(block.resolution) ?? block;
    return { ...block, resolution, version };
  });
}

/** The part before the second `@` of `@scope/name@range`. */
function nameOf(descriptor: string): string {
  const at = descriptor.indexOf("@", 1);
  return at === -1 ? descriptor : descriptor.slice(0, at);
}

function rangeOf(descriptor: string): string {
  return descriptor.slice(nameOf(descriptor).length + 1);
}

const BerryBlock = z.object({ resolution: z.string(), version: z.string().optional().catch(undefined) });

function berryBlocks(text: string, name: string): Block[] {
  const entries = parseEntries(text, { level: 0, isWanted: (line) => line.includes(name) });
  const file = z.record(z.string(), z.unknown()).safeParse(entries).data ?? {};
  return Object.entries(file).flatMap(([key, value]) => {
    const block = BerryBlock.safeParse(value).data;
    return block === undefined ? [] : [{ descriptors: key.split(", "), ...block }];
  });
}

/** Similar to YAML, but without a colon between key and value. */
function classicBlocks(text: string): Block[] {
  const chunks = text.split(/\r?\n(?=[^\s#])/);
  return chunks.map((chunk) => {
    const [header = "", ...lines] = chunk.split(/\r?\n/);
    const field = (name: string) =>
      lines.map((line) => unquote(line, `  ${name} `)).find((value) => value !== undefined);
    const descriptors = header.replace(/:$/, "").split(", ");
    return {
      descriptors: descriptors.map((it) => it.replace(/^"|"$/g, "")),
      version: field("version"),
      integrity: field("integrity"),
    };
  });
}

function unquote(line: string, start: string): string | undefined {
  return line.startsWith(start) ? line.slice(start.length).replace(/^"|"$/g, "") : undefined;
}
