import type { Certainty, UpgradeChange } from "../protocol/upgrade.ts";
import { type Declaration, emptyFacts, furtherNames, type NameFacts } from "./declarations.ts";
import { isAlike } from "./alike.ts";
import type { PackageUse } from "./find-uses.ts";

/** A name of a package that a project uses, and all lines that do. */
export interface UsedName {
  name: string;
  /** What it is a member of, as the lines write it, and what those names stand for. */
  owners: readonly string[];
  form: PackageUse["form"];
  /** The types that what it is a member of may have, with what these are based on in each version. */
  types?: { before: ReadonlySet<string>; after: ReadonlySet<string> };
}

/** What happens to a name between two versions. */
export interface NameChange {
  change: UpgradeChange;
  certainty: Certainty;
  before: Place | undefined;
  after: Place | undefined;
}

type Place = Pick<Declaration, "snapshot" | "path" | "line">;

const nothing = emptyFacts();

/**
 * What changes for a name, by the text of both versions; undefined where nothing does, or the name is not the package's. Of a
 * member that may be another object's, only what the old version declares counts.
 */
export function changeOf(
  used: UsedName,
  { before = nothing, after = nothing }: { before: NameFacts | undefined; after: NameFacts | undefined },
): NameChange | undefined {
  const isOwn = used.form === "import" || used.form === "member";
  const typed = used.form === "option" ? [] : ofTypes(before.declared, used.types?.before);
  if (typed.length > 0) return changeOfMember(used, typed, ofTypes(after.declared, used.types?.after), after);
  const named = ofOwners(before.declared, used);
  const old = named.length > 0 ? named : ofAny(before.declared, used);
  const isUnknown = old.length === 0 && before.declared.length === 0;
  if (isUnknown && used.form === "option" && before.mentions > 0 && after.declared.length + after.mentions === 0)
    return { change: "removed", certainty: "possible", before: undefined, after: undefined };
  if (old.length === 0 && (!isOwn || before.mentions === 0)) return undefined;
  const renewed = ofOwners(after.declared, used);
  const now = named.length > 0 || renewed.length > 0 ? renewed : ofAny(after.declared, used);
  const place = old.find(({ text }) => !internal.test(text)) ?? old[0];
  if (now.length === 0) {
    const isGone = after.declared.length === 0 && after.mentions === 0;
    if (isGone && used.form === "other" && named.length === 0) return undefined;
    if (isGone) return { change: "removed", certainty: certaintyOf(used), before: place, after: undefined };
    // Where nothing was declared, a name that is still mentioned may be exported as before.
    const isUndeclared = used.form === "derived" && after.declared.length === 0;
    if (old.length === 0 || (!isOwn && named.length === 0 && !isUndeclared)) return undefined;
    const certainty = after.declared.length === 0 && isOwn ? "likely" : "possible";
    return { change: "removed", certainty, before: place, after: after.declared[0] };
  }
  // Of a member of something unknown, that of the same type is compared.
  const types = new Set(old.flatMap(({ owners }) => owners));
  const same = named.length > 0 ? now : now.filter(({ owners }) => owners.some((owner) => types.has(owner)));
  const compared = same.length > 0 ? same : now;
  const share = deprecatedShare(compared);
  if (share >= deprecatedLeast && deprecatedShare(old) === 0) {
    const certainty = share === 1 ? certaintyOf(used) : "possible";
    const marked = compared.find((one) => one.isDeprecated);
    return { change: "deprecated", certainty, before: place, after: marked };
  }
  // Without the type, the parameters may be another function's.
  const other = isOwn || named.length > 0 ? otherParameters(old, now) : undefined;
  if (other === undefined) return undefined;
  return { change: "changed", certainty: isOwn ? "likely" : "possible", before: other.before, after: other.after };
}

/** What changes for a member of a type that the project names, or that a function of the package returns. */
function changeOfMember(
  used: UsedName,
  old: readonly Declaration[],
  now: readonly Declaration[],
  after: NameFacts,
): NameChange | undefined {
  const open = old.filter(({ text }) => !internal.test(text));
  const before = open.find(({ parameters }) => parameters !== undefined) ?? open[0] ?? old[0];
  if (now.length === 0) {
    const isGone = after.declared.length === 0 && after.mentions === 0;
    return { change: "removed", certainty: isGone ? certaintyOf(used) : "likely", before, after: undefined };
  }
  const share = deprecatedShare(now);
  if (share >= deprecatedLeast && deprecatedShare(old) === 0) {
    const marked = now.find((one) => one.isDeprecated);
    return { change: "deprecated", certainty: share === 1 ? certaintyOf(used) : "possible", before, after: marked };
  }
  const other = otherParameters(old, now);
  return other && { change: "changed", certainty: "likely", before: other.before, after: other.after };
}

function ofTypes(declared: readonly Declaration[], types: ReadonlySet<string> = new Set()): readonly Declaration[] {
  return declared.filter(({ owners, isParameter }) => !isParameter && owners.some((owner) => types.has(owner)));
}

/**
 * An argument by name that a function no longer takes: each declaration of the function that had it is one of the
 * package, none has it now, and nothing else in the new version declares it.
 */
export function argumentGone(
  name: string,
  {
    before,
    after,
    named,
  }: { before: readonly Declaration[]; after: readonly Declaration[]; named: NameFacts | undefined },
): NameChange | undefined {
  const has = ({ parameters }: Declaration) => parameters?.some((one) => one.replace(/\?$/, "") === name) === true;
  const isRequired = before.some(({ parameters }) => parameters?.includes(name));
  const old = before.find(has);
  const now = after.filter(({ parameters }) => parameters !== undefined);
  if (old === undefined || now.length === 0 || now.some(has)) return undefined;
  const takesMore = now.some(({ parameters }) => parameters?.includes(`${furtherNames}?`));
  if (takesMore && !isRequired && (named?.declared.length ?? 0) > 0) return undefined;
  return {
    change: "removed",
    certainty: takesMore ? "possible" : "likely",
    before: old,
    after: now.find(({ path }) => path === old.path) ?? now[0],
  };
}

/** Not exported: a declaration of the same name within the package. */
const internal = /^\s*(?:pub\s*\(|(?:private|protected|internal|fileprivate)\s)/;

/** `name?: string`, `name=None`. */
function isOptional(text: string, name: string): boolean {
  return new RegExp(String.raw`(?<![\w$])${name.replaceAll("$", "\\$")}(?:\?\s*:|\s*(?::[^=]+)?=)`).test(text);
}

function certaintyOf({ form }: UsedName): Certainty {
  return form === "import" || form === "member" ? "certain" : form === "derived" ? "likely" : "possible";
}

/** The declarations in or on what the use names: `req.param` of `Request`. A module's are anywhere. */
function ofOwners(declared: readonly Declaration[], { owners }: UsedName): readonly Declaration[] {
  return declared.filter((one) => one.owners.some((owner) => owners.some((used) => isAlike(used, owner))));
}

/** A declaration without a mark may be what the marked one calls. */
const deprecatedLeast = 1 / 3;

/**
 * The share of the files with declarations that say so. In TypeScript each overload has a mark of its own, elsewhere one
 * of them has it.
 */
function deprecatedShare(declared: readonly Declaration[]): number {
  const files = [...new Set(declared.map(({ path }) => path))];
  const shares = files.map((path) => {
    const own = declared.filter((one) => one.path === path);
    const marked = own.filter((one) => one.isDeprecated).length / own.length;
    if (!/\.[cm]?tsx?$/.test(path)) return Number(marked > 0);
    return marked >= deprecatedLeast ? marked : 0;
  });
  return files.length === 0 ? 0 : shares.reduce((sum, one) => sum + one, 0) / files.length;
}

/** Of a member of something unknown, those of members; of what is imported, those at the top of a file where there are any. */
function ofAny(declared: readonly Declaration[], { form, name }: UsedName): readonly Declaration[] {
  // What is not optional may be the project's own key.
  if (form === "option") return declared.filter(({ text }) => isOptional(text, name));
  if (form !== "import" && form !== "member")
    return declared.filter(({ owners, text }) => owners.length > 0 || /^\s/.test(text));
  const top = declared.filter(({ owners }) => owners.length === 0);
  // What a package of Go has is no method or field.
  return top.length > 0 ? top : declared.filter(({ path }) => !path.endsWith(".go"));
}

/** In Go a caller takes all results; those of a function that had none may be ignored. */
function returnsAlike(old: readonly string[], now: readonly string[]): boolean {
  return old.length === 0 || (now.length === old.length && !now.some((one, at) => isOtherBuiltIn(one, old[at] ?? one)));
}

/** Where each declaration takes or returns something else than any before: more is required, or something has gone. */
function otherParameters(
  old: readonly Declaration[],
  now: readonly Declaration[],
): { before: Declaration; after: Declaration } | undefined {
  const before = old.filter((one) => one.parameters !== undefined && !compiledClass.test(one.text));
  const after = now.filter((one) => one.parameters !== undefined);
  const [first] = before;
  const [next] = after;
  if (first === undefined || next === undefined) return undefined;
  // Each argument by name is looked up by itself.
  const isNamed = /\.pyi?$/.test(first.path);
  const fits = before.some((one) =>
    after.some(
      (other) =>
        accepts(other.parameters ?? [], one.parameters ?? [], { isNamed, isTyped: one.path.endsWith(".go") }) &&
        returnsAlike(one.results ?? [], other.results ?? []),
    ),
  );
  return fits ? undefined : { before: first, after: next };
}

/** Types of Go that no value of another one is. */
const builtIn = /^(?:\[\])?(?:string|bool|byte|rune|u?int(?:8|16|32|64)?|float(?:32|64))$/;

function isOtherBuiltIn(one: string, other: string): boolean {
  return one !== other && builtIn.test(one) && builtIn.test(other);
}

/** A class that was compiled to a function passes on what it is given. */
const compiledClass = /^\s*function\s+[A-Z]\w*\s*\(\s*\)/;

/** Whether new parameters take what the old ones took, by place or by name. */
function accepts(
  now: readonly string[],
  old: readonly string[],
  { isNamed, isTyped }: { isNamed: boolean; isTyped: boolean },
): boolean {
  const bare = (text: string) => text.replace(/\?$/, "").replace(/^_+/, "");
  if (isTyped && now.length === old.length && now.some((one, at) => isOtherBuiltIn(one, old[at] ?? one))) return false;
  const required = (list: readonly string[]) => list.filter((one) => !one.endsWith("?")).map(bare);
  const names = now.map(bare);
  if (isNamed) {
    const known = old.map(bare);
    // One that has another name is still passed by its place.
    const added = required(now).filter((one) => !known.includes(one));
    const missing = required(old).filter((one) => !names.includes(one));
    return added.length <= missing.length && required(old).length <= now.length;
  }
  if (required(now).length > required(old).length && required(now).length > old.length) return false;
  if (now.length < required(old).length) return false;
  const kept = old.filter((one) => names.includes(bare(one)));
  return now.length >= old.length || kept.length >= now.length;
}
