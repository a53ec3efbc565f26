import { formatMarker, type Passage } from "../../protocol/passage.ts";
import type { ToolData } from "../../protocol/tool-data.ts";
import { findDefinitions } from "../../source/definitions.ts";
import { languageOf } from "../../source/languages.ts";
import { groupsIn } from "../../source/question-forms.ts";
import { isAside } from "../../source/test-path.ts";
import { type Call, type Conversation, isResultOf, literal, type Looking, lookUp } from "./look.ts";

const name = String.raw`["“\x60]?(?<name>@?[\p{L}_$][\p{L}\p{N}_$]*(?:(?:\.|::|#|->|/|-)[\p{L}_$][\p{L}\p{N}_$]*)*)["”\x60]?(?:\(\))?`;
const noun = String.raw`(?:(?:the|our|this|a)\s+)?(?:(?:function|class|method|type|struct|trait|macro|module|package|import|annotation|interface|decorator)\s+)?`;
const packageNoun = String.raw`(?:package|library|module|crate|dependency|distribution|artifact|jar|project)`;
const forms = [
  String.raw`^\W*where(?:['’]?s| is| are| does| do| did)\s+${noun}${name}\s+(?:actually\s+)?(?:defined|declared|implemented|from|coming from|come from|imported from|taken from)\b(?!.*\b(?:used|called)\b)`,
  String.raw`^\W*(?:which|what) ${packageNoun}\s+(?:is|are|does|do)\s+${noun}${name}\s+(?:(?:come|coming|imported|taken)\s+)?(?:from|in|of|part of)\W*$`,
  String.raw`^\W*(?:which|what) ${packageNoun}\s+(?:provides?|has|defines?|contains?|exports?|brings?)\s+${noun}${name}\W*$`,
].map((form) => new RegExp(form, "iu"));

/** The name whose definition or package a question asks for: "where does safe_load come from?". */
export function originAsked(question: string): string | undefined {
  const found = groupsIn(forms, question)?.["name"];
  if (found === undefined || found.length > nameLength) return undefined;
  return /^(?:it|that|this|they|these|everything|main|all)$/i.test(found) ? undefined : found;
}

const nameLength = 100;

/** Looks up the definition, else the import of the name, opens the imported package, and looks there. */
export function* lookForOrigin(conversation: Conversation, asked: string): Looking<void> {
  yield* lookUp(conversation, `Looking for the definition of ${asked}.`, [definitionOf(asked)]);
  const origin = originIn(conversation, asked);
  if (origin?.reference === undefined || origin.isOpen) return;
  const { label, reference } = origin;
  yield* lookUp(conversation, `It comes from ${label}. Opening it.`, [openCall(reference)]);
  const resource = openedAs(conversation, reference);
  if (resource === undefined || isPackage(asked, origin)) return;
  for (const call of callsFor(asked, resource)) {
    yield* lookUp(conversation, `Looking for ${asked} in ${resource}.`, [call]);
    const [best] = definitionsIn(conversation, asked, origin, resource);
    if (best !== undefined && best.fit > 0) return;
  }
}

/** Writes which package a name comes from, and its definition there; nothing if it is defined in the resources. */
export function* writeOrigin(conversation: Conversation, asked: string): Generator<string> {
  const origin = originIn(conversation, asked);
  if (origin === undefined) return;
  const { module, resource, path, line, label, reference, isOpen } = origin;
  const imported = formatMarker({ resource, path, startLine: line, endLine: line });
  const subject =
    reference === undefined
      ? `\`${asked}\` comes from \`${module}\`;`
      : isPackage(asked, origin)
        ? `\`${asked}\` is`
        : `\`${asked}\` comes from \`${module}\`, of`;
  yield `${subject} ${label}. It is imported here: ${imported}\n`;
  const opened = isOpen || reference === undefined ? undefined : openedAs(conversation, reference);
  const all = opened === undefined ? [] : definitionsIn(conversation, asked, origin, opened);
  const found = all.filter(({ fit }) => fit === all[0]?.fit).slice(0, definitionsShown);
  for (const { resource: where, path: file, startLine: first, lines, at } of found) {
    const skipped = lines.length > linesShown ? Math.max(0, at - linesBefore) : 0;
    const shown = lines.slice(skipped, skipped + linesShown);
    const startLine = first + skipped;
    const endLine = startLine + shown.length - 1;
    yield `\nIt is defined in ${where}: ${formatMarker({ resource: where, path: file, startLine, endLine })}\n`;
    yield `\n\`\`\`\`${languageOf(file).tag}\n${shown.join("\n")}${skipped + shown.length < lines.length ? "\n…" : ""}\n\`\`\`\`\n`;
  }
  if (!isOpen && reference !== undefined) yield `\nTo ask more about it, ask about \`${reference}\`.\n`;
}

/** Writes which copy of a package the project uses, if the definition is in another one. */
export function* writeCopies({ results }: Conversation, asked: string): Generator<string> {
  const { copies = [] } = results.find((result) => isResultOf(definitionOf(asked), result)) ?? {};
  for (const copy of copies) yield `${copy}.\n\n`;
}

const definitionsShown = 2;
const linesShown = 30;
/** Of a long comment above a definition. */
const linesBefore = 10;

type Origin = ToolData["origins"][number];

function originIn({ results }: Conversation, asked: string): Origin | undefined {
  return results.find((result) => isResultOf(definitionOf(asked), result))?.origins[0];
}

function definitionOf(asked: string, resource?: string): Call {
  return { tool: "definition", input: resource === undefined ? { name: asked } : { name: asked, resource } };
}

function openCall(reference: string): Call {
  return { tool: "open", input: { package: reference } };
}

function openedAs({ results }: Conversation, reference: string): string | undefined {
  return results.find((result) => isResultOf(openCall(reference), result))?.opened;
}

/**
 * Looks for the name, for the name without what it is qualified with, and for where that is assigned or
 * declared in a form that the index does not know.
 */
function callsFor(asked: string, resource: string): Call[] {
  const last = lastPart(asked);
  const words = String.raw`^\s*(?:(?:pub|export|const|var|let|val|static|final|public|abstract)\s+)*`;
  const type = String.raw`(?:struct|enum|union|trait|type|class|interface|record|object)\s+${literal(last)}\b`;
  const pattern = String.raw`${words}(?:${type}|${literal(last)}\b[^=(]*=[^=>])`;
  return [
    definitionOf(asked.replaceAll("::", "."), resource),
    definitionOf(last, resource),
    { tool: "grep", input: { pattern, regex: true, resource, limit: 20 } },
  ];
}

interface Found extends Passage {
  /** How well its place fits the module, the owner and what a name usually means. */
  fit: number;
  /** The 0-based line that defines the name. */
  at: number;
}

/** The definitions in the opened package, the likeliest first. */
function definitionsIn({ results }: Conversation, asked: string, { module }: Origin, resource: string): Found[] {
  const calls = callsFor(asked, resource);
  const found = results.filter((result) => calls.some((call) => isResultOf(call, result)));
  const parts = new Set(`${module}/${asked}`.split(/[/.:#]+/));
  const last = lastPart(asked);
  return found
    .flatMap(({ passages }) => passages)
    .filter((passage) => passage.resource === resource)
    .map((passage) => {
      const own = findDefinitions(passage.path, passage.lines).find((one) => one.name.split(/[.:#]+/).at(-1) === last);
      const at = (own?.line ?? 1) - 1;
      const line = passage.lines[at] ?? "";
      const inPlace = passage.path.split(/[/.]/).filter((part) => parts.has(part)).length;
      // An `impl`, a method or a constructor is rarely what a name alone means.
      const isLesser = /^\s*impl\b/.test(line) || /^\s/.test(line);
      return { ...passage, at, fit: inPlace - (isLesser ? 0.5 : 0) - (isAside(passage.path) ? 9 : 0) };
    })
    .toSorted((a, b) => b.fit - a.fit);
}

function lastPart(asked: string): string {
  return asked.split(/\.|::|#|->|\//).at(-1) ?? asked;
}

/** Whether the name is that of the module itself. */
function isPackage(asked: string, { module }: Origin): boolean {
  const [last] = module.split(/[/.:]+/).toReversed();
  return asked === module || asked === last;
}
