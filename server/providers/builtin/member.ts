import type { Definition } from "../../source/definitions.ts";
import type { LineRange } from "../../protocol/citation.ts";
import { type Hit, occurs, type Stretch } from "./evidence.ts";
import { numbersOf, textOf } from "./excerpt-context.ts";
import type { Extract } from "./extracts.ts";
import { type Call, searchFor } from "./look.ts";
import type { Question } from "./question.ts";
import type { Member } from "./question-names.ts";

/** How many lines of an owner are read, and in how many files. */
const linesRead = 400;
const ownersRead = 2;
const membersShown = 2;
/** A short owner is shown whole, a long member only at its beginning. */
const shortOwner = 14;
const longMember = 28;
const signatureLines = 8;

/** Finds the definitions of members that the question names: for `TextStore.read`, never `read` of another owner. */
export function definedMembers(hits: readonly Hit[], question: Question): Omit<Extract, "score">[] {
  const found = question.members.flatMap((member) => {
    return stretchesOf(hits).flatMap((stretch) =>
      placesOf(member, stretch).map((place) => ({ member, stretch, place })),
    );
  });
  const own = found.toSorted((a, b) => Number(a.stretch.isTest) - Number(b.stretch.isTest)).slice(0, membersShown);
  return own.map(({ member, stretch, place }) => {
    const name = `${member.owner}.${member.name}`;
    return {
      stretch,
      pieces: piecesOf(place),
      reason: `defines \`${name}\``,
      role: { type: "definition", name, fit: 1 },
      coverage: 1,
      found: question.words,
    };
  });
}

/** Looks for members that were not found: reads the rest of their owner, or greps for lines with both names. */
export function findMembers(hits: readonly Hit[], question: Question): Call[] {
  if (definedMembers(hits, question).length > 0) return [];
  return question.members.flatMap((member): Call[] => {
    const owners = stretchesOf(hits).flatMap((stretch) => {
      return ownersIn(stretch, member).map(({ line }) => ({ stretch, line }));
    });
    const chosen = owners.toSorted((a, b) => Number(a.stretch.isTest) - Number(b.stretch.isTest)).slice(0, ownersRead);
    const pattern = `\\b(?:${escaped(member.owner)}|exports)\\b.{1,40}\\b${escaped(member.name)}\\b`;
    return [
      searchFor(member.name, { glob: `**/${member.owner}.*`, limit: ownersRead }),
      ...(chosen.length === 0 ? [searchFor(member.owner, { limit: ownersRead })] : []),
      ...chosen.map(({ stretch: { resource, path }, line }): Call => {
        return { tool: "read", input: { resource, path, startLine: line, endLine: line + linesRead - 1 } };
      }),
      { tool: "grep", input: { pattern, regex: true, limit: 20, contextLines: signatureLines } },
    ];
  });
}

interface Place extends LineRange {
  /** The enclosing definition. */
  owner?: Definition;
}

function placesOf(member: Member, stretch: Stretch): Place[] {
  if (stretch.isDocument) return [];
  const owners = ownersIn(stretch, member);
  const definitions = stretch.definitions.flatMap((one): Place[] => {
    if (one.name !== member.name) return [];
    const owner = owners.find((other) => other.line < one.line && other.endLine >= one.line);
    if (owner !== undefined) return [{ startLine: one.startLine, endLine: one.endLine, owner }];
    return qualified(member).test(textOf(stretch, one.line)) ? [one] : [];
  });
  if (definitions.length > 0) return definitions;
  const declared = owners.flatMap((owner) => declaredIn(owner, member, stretch));
  return declared.length > 0 ? declared : exportedAs(member, stretch);
}

/** Members of a module that is named like the owner: its top-level definitions, and `exports.json = …`. */
function exportedAs({ owner, name }: Member, stretch: Stretch): Place[] {
  const isModule = new RegExp(`(?:^|/)${escaped(owner)}(?:/(?:index|mod|__init__))?\\.\\w+$`, "i").test(stretch.path);
  if (!isModule) return [];
  const line = stretch.lines.findIndex((text) =>
    new RegExp(`^(?:module\\.)?exports\\.${escaped(name)}\\s*=`).test(text),
  );
  const own = line === -1 ? [] : [{ startLine: stretch.startLine + line, endLine: stretch.startLine + line }];
  return [...stretch.definitions.filter((one) => one.name === name && indentAt(stretch, one.line) === 0), ...own];
}

/** Matches qualified definitions: `Layer.prototype.match = `, `void Table<T>::read(`, and Go's `func (s *Store) Read(`. */
function qualified({ owner, name }: Member): RegExp {
  return new RegExp(
    `\\b${escaped(owner)}(?:<[^>]*>|\\[[^\\]]*\\])?(?:\\.prototype)?(?:\\.|::|#|\\)\\s*)${escaped(name)}(?![\\w$])`,
  );
}

function escaped(name: string): string {
  return name.replaceAll("$", "\\$");
}

/** Classes and interfaces with the owner's name, and Rust `impl` blocks for it; not functions with it as a parameter. */
function ownersIn(stretch: Stretch, { owner }: Member): Definition[] {
  if (stretch.isDocument) return [];
  return stretch.definitions.filter(({ name, line }) => {
    return name === owner || (/^\s*impl\b/.test(textOf(stretch, line)) && occurs(owner, textOf(stretch, line)));
  });
}

/** Members without a body, such as `read(path: string): Promise<string>;` and `limit = 3;`. */
function declaredIn(owner: Definition, { name }: Member, stretch: Stretch): Place[] {
  const filled = numbersOf(owner.line + 1, owner.endLine).filter((line) => textOf(stretch, line).trim() !== "");
  const depth = Math.min(...filled.slice(0, -1).map((line) => indentAt(stretch, line)));
  const nameAlone = new RegExp(`(?<![\\w$])${escaped(name)}(?=\\s*[?!]?\\s*[(:=<;,]|\\s*$)`);
  const line = filled.find((number) => {
    const text = textOf(stretch, number);
    const [before = "", after] = text.split(nameAlone);
    return indentAt(stretch, number) === depth && after !== undefined && /^[\w\s<>*&[\]?,@#]*$/.test(before);
  });
  if (line === undefined) return [];
  const isComment = (number: number) => /^\s*(?:\/\*|\*|\/\/|#|@)/.test(textOf(stretch, number));
  const isMore = (number: number) => indentAt(stretch, number) > depth || /^\s*[)}\]]/.test(textOf(stretch, number));
  let startLine = line;
  while (startLine - 1 > owner.line && isComment(startLine - 1)) startLine--;
  let endLine = line;
  while (endLine + 1 < owner.endLine && endLine < line + signatureLines && isMore(endLine + 1)) endLine++;
  return [{ startLine, endLine, owner }];
}

/** Adds the enclosing definition: all of it if it is short, else its first line. */
function piecesOf({ owner, startLine, endLine }: Place): LineRange[] {
  if (owner !== undefined && owner.endLine - owner.startLine < shortOwner)
    return [{ startLine: owner.startLine, endLine: owner.endLine }];
  const own = { startLine, endLine: Math.min(endLine, startLine + longMember - 1) };
  if (owner === undefined || owner.line >= startLine) return [own];
  return owner.line === startLine - 1
    ? [{ ...own, startLine: owner.line }]
    : [{ startLine: owner.line, endLine: owner.line }, own];
}

function stretchesOf(hits: readonly Hit[]): Stretch[] {
  return [...new Set(hits.map(({ stretch }) => stretch))];
}

function indentAt(stretch: Stretch, line: number): number {
  return /^\s*/.exec(textOf(stretch, line))?.[0].length ?? 0;
}
