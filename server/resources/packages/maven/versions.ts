/** Qualifiers in Maven's order; the empty one is the release. https://maven.apache.org/pom.html#Version_Order_Specification */
const qualifiers = ["alpha", "beta", "milestone", "rc", "snapshot", "", "sp"];
const sameAs: Readonly<Record<string, string>> = { cr: "rc", ga: "", final: "", release: "" };

const short: Readonly<Record<string, string>> = { a: "alpha", b: "beta", m: "milestone" };

type Token = { separator: "." | "-"; value: string };

/** Negative if `a` is the lower version, in Maven's order. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [tokensOf(a), tokensOf(b)];
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const order = compareTokens(left[at] ?? padFor(right[at]), right[at] ?? padFor(left[at]));
    if (order !== 0) return order;
  }
  return 0;
}

/** Numbers and words. A change between digits and letters is a hyphen, and a word after a dot is as after a hyphen. */
function tokensOf(version: string): Token[] {
  const tokens: Token[] = [];
  for (const [, written = "", text = ""] of version.toLowerCase().matchAll(/([.\-_]?)(\d+|[^\d.\-_]+|(?=[.\-_]|$))/g)) {
    if (written === "" && text === "") continue;
    const last = tokens.at(-1);
    const isDigits = /^\d*$/.test(text);
    if (isDigits && written === "" && last !== undefined) last.value = short[last.value] ?? last.value;
    const isDotted = isDigits && (written === "." || last === undefined);
    const value = isDigits ? text.replace(/^0+(?=\d)/, "") || "0" : (sameAs[text] ?? text);
    tokens.push({ separator: isDotted ? "." : "-", value });
  }
  return withoutNulls(tokens);
}

/** Zeros and the words of a release count for nothing at the end, and before a hyphen. */
function withoutNulls(tokens: readonly Token[]): Token[] {
  const kept: Token[] = [];
  for (const token of tokens.toReversed()) {
    const isLastOfPart = kept.at(-1)?.separator !== ".";
    if (!isLastOfPart || (token.value !== "0" && token.value !== "")) kept.push(token);
  }
  return kept.toReversed();
}

function padFor(other: Token | undefined): Token {
  return other?.separator === "." ? { separator: ".", value: "0" } : { separator: "-", value: "" };
}

/** A word is below a number after a hyphen, which is below one after a dot. */
function compareTokens(a: Token, b: Token): number {
  const rank = ({ separator, value }: Token) => (isNumber(value) ? (separator === "." ? 2 : 1) : 0);
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  if (isNumber(a.value)) {
    const [x, y] = [BigInt(a.value), BigInt(b.value)];
    return x < y ? -1 : Number(x > y);
  }
  const [x, y] = [qualifiers.indexOf(a.value), qualifiers.indexOf(b.value)];
  if (x === -1 && y === -1) return a.value < b.value ? -1 : Number(a.value > b.value);
  return (x === -1 ? qualifiers.length : x) - (y === -1 ? qualifiers.length : y);
}

function isNumber(text: string): boolean {
  return /^\d+$/.test(text);
}

/**
 * Whether a version is a pre-release: one before that of its number, by Maven's qualifiers and the usual words, or one of
 * the early ones that were numbered by date.
 */
export function isUnusual(version: string): boolean {
  if (/^(?:19|20)\d{6}(?:\.\d+)?$/.test(version)) return true;
  return /(?:^|[.\-_\d])(?:alpha|beta|milestone|rc|cr|snapshot|preview|pre|ea|dev|[abm](?=\d))(?![a-z])/i.test(version);
}

/** Whether a text is a range that `isInRange` reads: `[1.0,2.0)`, also several; or Gradle's `1.+`. */
export function isRange(text: string): boolean {
  return /^[[(\]].*[\])[]$/.test(text) || text.endsWith("+");
}

/** https://maven.apache.org/pom.html#Dependency_Version_Requirement_Specification */
export function isInRange(version: string, range: string): boolean {
  if (range.endsWith("+")) return version.startsWith(range.slice(0, -1));
  return [...range.matchAll(/([[(\]])([^,[\]()]*)(,?)([^,[\]()]*)([\])[])/g)].some(
    ([, open, low = "", comma, high = "", close]) => {
      if (comma === "") return compareVersions(version, low.trim()) === 0;
      const above = low.trim() === "" ? 1 : compareVersions(version, low.trim());
      const below = high.trim() === "" ? -1 : compareVersions(version, high.trim());
      return (open === "[" ? above >= 0 : above > 0) && (close === "]" ? below <= 0 : below < 0);
    },
  );
}
