import * as z from "zod";
import { highest, type Locked, lockedOf, type LockfileQuestion } from "./lockfile.ts";
import { parseEntries } from "./yaml.ts";

/** A block of the file: what asks for it (`zod@^4.0.0`), and what they all get. */
interface Block {
  descriptors: readonly string[];
  /** `zod@npm:4.0.0`; the classic format does not have it. */
  resolution?: string | undefined;
  version?: string | undefined;
  integrity?: string | undefined;
}

/** `yarn.lock`, classic (version 1) and berry, which is YAML with `__metadata`. */
export function readYarnLock(text: string, question: LockfileQuestion): Locked | undefined {
  const blocks = /^__metadata:/m.test(text) ? berryBlocks(text, question.package) : classicBlocks(text);
  const ofPackage = blocks.filter(({ descriptors }) => descriptors.some((it) => nameOf(it) === question.package));
  const direct = ofPackage.find(({ descriptors }) => descriptors.some((it) => isWanted(it, question)));
  return direct === undefined
    ? highest(ofPackage.map((block) => toLocked(block, question.package)))
    : toLocked(direct, question.package);
}

function isWanted(descriptor: string, { package: name, wanted }: LockfileQuestion): boolean {
  return descriptor === `${name}@${wanted}` || descriptor === `${name}@npm:${wanted}`;
}

function toLocked({ descriptors, resolution, version, integrity }: Block, name: string): Locked | undefined {
  if (resolution !== undefined) return lockedOf(nameOf(resolution), rangeOf(resolution), undefined);
  if (version === undefined) return undefined;
  // The classic format gives a git or file dependency a version, too: only what was asked for tells.
  const ranges = descriptors.map(rangeOf);
  const alias = ranges.find((range) => range.startsWith("npm:"));
  if (alias !== undefined) return lockedOf(nameOf(alias.slice("npm:".length)), version, integrity);
  const elsewhere = ranges.find((range) => /[:/]/.test(range));
  return lockedOf(name, elsewhere ?? version, integrity);
}

/** `@scope/name@range` at its second `@`. */
function nameOf(descriptor: string): string {
  const at = descriptor.indexOf("@", 1);
  return at === -1 ? descriptor : descriptor.slice(0, at);
}

function rangeOf(descriptor: string): string {
  return descriptor.slice(nameOf(descriptor).length + 1);
}

const BerryBlock = z.object({ resolution: z.string() });

function berryBlocks(text: string, name: string): Block[] {
  const entries = parseEntries(text, { level: 0, isWanted: (line) => line.includes(name) });
  const file = z.record(z.string(), z.unknown()).safeParse(entries).data ?? {};
  return Object.entries(file).flatMap(([key, value]) => {
    const block = BerryBlock.safeParse(value).data;
    return block === undefined ? [] : [{ descriptors: key.split(", "), resolution: block.resolution }];
  });
}

/** Not YAML, though it looks like it: a key and its value stand side by side. */
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
