import { type AST, RegExpParser, visitRegExpAST } from "@eslint-community/regexpp";

/**
 * The text that any match of an expression contains: all of some literals, one of several, or `anything` if unknown.
 * Whatever is not understood is `anything`, because a wrong literal would silently lose matches.
 */
export type RequiredText =
  | { type: "anything" }
  | { type: "literal"; text: string }
  | { type: "all"; of: readonly RequiredText[] }
  | { type: "any"; of: readonly RequiredText[] };

export interface Requirement {
  required: RequiredText;
  /** Whether every text that contains it matches, as for `get(Item|Entry)`. */
  isEnough: boolean;
}

const anything: RequiredText = { type: "anything" };

/** The requirement of an expression about which nothing is known. */
export const nothingRequired: Requirement = { required: anything, isEnough: false };

/** The maximum number of literals that a sequence may expand to (`_[0-9]{2}` has a hundred): each is looked up. */
const literalLimit = 128;
/** The maximum number of characters in a class: one character of a larger class selects too little. */
const classLimit = 64;
/** The minimum length of a literal, in UTF-16 units: shorter ones are in nearly every text. */
const leastLength = 3;

const parser = new RegExpParser();

/** `source` is in JavaScript's syntax with the flag `u`, as `toJavaScript` returns it; any other requires nothing. */
export function requirementOf(source: string): Requirement {
  const pattern = parse(source);
  if (pattern === undefined) return nothingRequired;
  const { required, exact } = readAlternatives(pattern.alternatives);
  if (required.type === "anything") return nothingRequired;
  return { required, isEnough: exact !== undefined && !hasAssertion(pattern) };
}

/** The maximum number of literals to search for one by one; more would take longer than matching the expression. */
const soughtLimit = 4;

/** A few literals such that every match contains at least one; undefined if there are none. */
export function requiredLiterals(required: RequiredText): readonly string[] | undefined {
  switch (required.type) {
    case "anything":
      return undefined;
    case "literal":
      return [required.text];
    case "all": {
      const known = required.of.map(requiredLiterals).filter((literals) => literals !== undefined);
      return known.sort((a, b) => shortestOf(b) - shortestOf(a))[0];
    }
    case "any": {
      const each = required.of.map(requiredLiterals);
      const all = each.flatMap((literals) => literals ?? []);
      return each.every((literals) => literals !== undefined) && all.length <= soughtLimit ? all : undefined;
    }
  }
}

function shortestOf(literals: readonly string[]): number {
  return Math.min(...literals.map(({ length }) => length));
}

/** The texts that a part of an expression matches, as `exact` if they are few and known. */
interface Part {
  exact: readonly string[] | undefined;
  required: RequiredText;
}

const unknown: Part = { exact: undefined, required: anything };

function parse(source: string): AST.Pattern | undefined {
  try {
    return parser.parsePattern(source, 0, source.length, { unicode: true });
  } catch {
    return undefined;
  }
}

/** An assertion, such as `\b`, limits where the texts match. */
function hasAssertion(pattern: AST.Pattern): boolean {
  let isFound = false;
  visitRegExpAST(pattern, { onAssertionEnter: () => (isFound = true) });
  return isFound;
}

function readAlternatives(alternatives: readonly AST.Alternative[]): Part {
  const parts = alternatives.map(readSequence);
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const exact = parts.flatMap((part) => part.exact ?? []);
  if (parts.every((part) => part.exact) && exact.length <= literalLimit) return exactly(exact);
  const of = parts.map(({ required }) => required);
  return of.some(({ type }) => type === "anything") ? unknown : { exact: undefined, required: { type: "any", of } };
}

function readSequence({ elements }: AST.Alternative): Part {
  const sequence = createSequence();
  for (const element of elements) {
    if (element.type === "Assertion") continue;
    const { min, max, element: repeated } = element.type === "Quantifier" ? element : { min: 1, max: 1, element };
    const { exact, required } = readElement(repeated);
    if (exact !== undefined) sequence.repeat(exact, { min, max });
    else sequence.interrupt(min > 0 ? required : anything);
  }
  return sequence.end();
}

/** Joins adjacent texts to literals, until an unknown part separates them. */
function createSequence() {
  const parts: RequiredText[] = [];
  let literals: readonly string[] = [""];
  let isWhole = true;

  return {
    repeat(texts: readonly string[], { min, max }: { min: number; max: number }): void {
      if (min === 0 && max === 1) return append([...texts, ""]);
      for (let time = 0; time < Math.min(min, leastLength); time++) append(texts);
      if (min === max && min <= leastLength) return;
      endLiterals();
      // In `ab+c`, the last b is adjacent to the c.
      if (min > 0) append(texts);
    },
    interrupt(required: RequiredText): void {
      endLiterals();
      if (required.type !== "anything") parts.push(required);
    },
    end(): Part {
      if (isWhole) return { exact: literals, required: oneOf(literals) };
      endLiterals();
      const [only] = parts;
      return { exact: undefined, required: parts.length <= 1 ? (only ?? anything) : { type: "all", of: parts } };
    },
  };

  function append(texts: readonly string[]): void {
    const isTooMany = () => literals.length > 1 && literals.length * texts.length > literalLimit;
    if (isTooMany()) keep();
    while (isTooMany()) literals = [...new Set(literals.map((literal) => literal.slice(1)))];
    literals = literals.flatMap((literal) => texts.map((text) => literal + text));
  }

  function endLiterals(): void {
    keep();
    literals = [""];
  }

  function keep(): void {
    isWhole = false;
    if (areSelective(literals)) parts.push(oneOf(literals));
  }
}

function areSelective(literals: readonly string[]): boolean {
  return literals.every(({ length }) => length >= leastLength);
}

function oneOf(literals: readonly string[]): RequiredText {
  const [only = ""] = literals;
  if (!areSelective(literals)) return anything;
  return literals.length === 1
    ? { type: "literal", text: only }
    : { type: "any", of: literals.map((text) => ({ type: "literal", text })) };
}

function exactly(exact: readonly string[]): Part {
  return { exact, required: oneOf(exact) };
}

function readElement(element: AST.Element): Part {
  if (element.type === "CapturingGroup") return readAlternatives(element.alternatives);
  if (element.type === "Group") return element.modifiers === null ? readAlternatives(element.alternatives) : unknown;
  const characters = charactersOf(element);
  return characters === undefined ? unknown : exactly(characters);
}

/** The characters that an element matches; undefined if they are too many or unknown. */
function charactersOf(element: AST.Element | AST.CharacterClassElement): string[] | undefined {
  if (element.type === "Character") return isPlain(element) ? [element.raw.at(-1) ?? ""] : undefined;
  if (element.type === "CharacterSet") {
    return element.kind === "digit" && !element.negate ? Array.from("0123456789") : undefined;
  }
  if (element.type === "CharacterClassRange") {
    const { min, max } = element;
    if (!isPlain(min) || !isPlain(max) || max.value - min.value >= classLimit) return undefined;
    return Array.from({ length: max.value - min.value + 1 }, (_, at) => String.fromCharCode(min.value + at));
  }
  if (element.type !== "CharacterClass" || element.negate) return undefined;
  const parts = element.elements.map(charactersOf);
  const characters = new Set(parts.flatMap((part) => part ?? []));
  const isKnown = characters.size > 0 && parts.every((part) => part !== undefined);
  return isKnown && characters.size <= classLimit ? [...characters] : undefined;
}

/** One UTF-16 unit, written as itself: of `\u00e9`, `pattern.ts` does not see that it has another case. */
function isPlain({ raw, value }: AST.Character): boolean {
  return value <= 0xffff && !/^\\\w/.test(raw);
}
