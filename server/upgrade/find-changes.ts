import type { Certainty, UpgradeChange } from "../protocol/upgrade.ts";
import type { Declaration, NameFacts } from "./declarations.ts";
import { isAlike } from "./alike.ts";
import type { PackageUse } from "./find-uses.ts";

/** A name of a package that a project uses, and all lines that do. */
export interface UsedName {
  name: string;
  /** What it is a member of, as the lines write it, and what those names stand for. */
  owners: readonly string[];
  form: PackageUse["form"];
}

/** What happens to a name between two versions. */
export interface NameChange {
  change: UpgradeChange;
  certainty: Certainty;
  before: Declaration | undefined;
  after: Declaration | undefined;
}

const nothing: NameFacts = { declared: [], mentions: 0 };

/**
 * What changes for a name, by the text of both versions; undefined where nothing does, or the name is not the package's. Of a
 * member that may be another object's, only what the old version declares counts.
 */
export function changeOf(
  used: UsedName,
  { before = nothing, after = nothing }: { before: NameFacts | undefined; after: NameFacts | undefined },
): NameChange | undefined {
  const isOwn = used.form === "import" || used.form === "member";
  const named = ofOwners(before.declared, used);
  const old = named.length > 0 ? named : ofAny(before.declared, used);
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

/** The share of the files with declarations that say so at one of them: overloads have no mark of their own. */
function deprecatedShare(declared: readonly Declaration[]): number {
  const files = new Set(declared.map(({ path }) => path));
  const marked = new Set(declared.filter((one) => one.isDeprecated).map(({ path }) => path));
  return files.size === 0 ? 0 : marked.size / files.size;
}

/** Of a member of something unknown, those of members; of what is imported, those at the top of a file where there are any. */
function ofAny(declared: readonly Declaration[], { form, name }: UsedName): readonly Declaration[] {
  // What is not optional may be the project's own key.
  if (form === "option") return declared.filter(({ text }) => isOptional(text, name));
  if (form !== "import" && form !== "member")
    return declared.filter(({ owners, text }) => owners.length > 0 || /^\s/.test(text));
  const top = declared.filter(({ owners }) => owners.length === 0);
  return top.length > 0 ? top : declared;
}

/** Where each declaration takes other parameters than any before: more are required, or one has gone. */
function otherParameters(
  old: readonly Declaration[],
  now: readonly Declaration[],
): { before: Declaration; after: Declaration } | undefined {
  const before = old.filter((one) => one.parameters !== undefined);
  const after = now.filter((one) => one.parameters !== undefined);
  const [first] = before;
  const [next] = after;
  if (first === undefined || next === undefined) return undefined;
  const fits = before.some((one) => after.some((other) => accepts(other.parameters ?? [], one.parameters ?? [])));
  return fits ? undefined : { before: first, after: next };
}

/** Whether new parameters take what the old ones took, by place or by name. */
function accepts(now: readonly string[], old: readonly string[]): boolean {
  const bare = (text: string) => text.replace(/\?$/, "").replace(/^_+/, "");
  const required = (list: readonly string[]) => list.filter((one) => !one.endsWith("?")).length;
  if (required(now) > required(old) && required(now) > old.length) return false;
  if (now.length < required(old)) return false;
  const names = now.map(bare);
  const kept = old.filter((one) => names.includes(bare(one)));
  return now.length >= old.length || kept.length >= now.length;
}
