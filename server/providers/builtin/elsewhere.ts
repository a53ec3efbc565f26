import { isBuiltin } from "node:module";
import { splitIdentifier, stem } from "../../source/words.ts";
import type { ToolResult } from "./look.ts";
import { markerOf, occurs, type Stretch, stretchesIn } from "./evidence.ts";
import { type Extract, linesOf } from "./extracts.ts";
import type { Call } from "./look.ts";
import { type Question, strongStems } from "./question.ts";

/** How many lines at the top of a file are searched for imports. */
const importLines = 60;
/** A definition with at most this many lines may only re-export one of another package. */
const reExportLines = 2;
const script = /\.[cm]?[jt]sx?$/;
const importOf =
  /(?:import\s+([^"';]*?)\s+from\s*|(?:const|let|var)\s+([^=;]*?)\s*=\s*require\()["']([^."'][^"'\n]*)["']/;

/** Reads the imports of the best extract's file, if its code may be defined in another package. */
export function readImports(extracts: readonly Extract[], { wants }: Question): Call[] {
  const best = extracts.find(({ stretch }) => script.test(stretch.path) && !stretch.isTest);
  if (best === undefined || best.stretch.startLine === 1 || (wants !== "any" && !isReExport(best))) return [];
  const { resource, path } = best.stretch;
  return [{ tool: "read", input: { resource, path, startLine: 1, endLine: importLines } }];
}

/** Reports imported packages that define the subject of the question but are not among the resources. */
export function* reportElsewhere(
  shown: readonly Extract[],
  {
    question,
    results,
    resources,
  }: { question: Question; results: readonly ToolResult[]; resources: readonly string[] },
): Generator<string> {
  const strong = [...strongStems(question)].filter((one) => one.length > 3);
  const isSubject = (name: string) =>
    splitIdentifier(name)
      .map(stem)
      .some((part) => strong.some((one) => part.startsWith(one)));
  const stretches = stretchesIn(results);
  const reported = new Set<string>();
  for (const extract of shown.filter(({ stretch }) => script.test(stretch.path) && !stretch.isTest)) {
    const top = stretches.find(({ target, startLine }) => target === extract.stretch.target && startLine === 1);
    for (const { names, module, line } of top === undefined ? [] : importsIn(top)) {
      const name = names.find((one) => isReExport(extract) && linesOf(extract).some((text) => occurs(one, text)));
      const isMeant = name !== undefined || isSubject(module);
      if (!isMeant || reported.has(module) || resources.some((one) => one === module || one.endsWith(`:${module}`)))
        continue;
      reported.add(module);
      const what = name ?? names[0];
      yield `\n${what === undefined ? "" : `\`${what}\` comes from `}the package \`${module}\` ${markerOf(top ?? extract.stretch, { startLine: line, endLine: line })}, which is not among the resources. Ask about \`npm:${module}\` as well.\n`;
    }
  }
}

function isReExport({ role, pieces }: Extract): boolean {
  return role.type === "definition" && pieces.every(({ startLine, endLine }) => endLine - startLine < reExportLines);
}

function importsIn({ lines, startLine }: Stretch): { names: string[]; module: string; line: number }[] {
  return lines.slice(0, importLines).flatMap((text, index) => {
    const [, imported, required, path = ""] = importOf.exec(text) ?? [];
    const module = /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
    if (module === undefined || isBuiltin(path) || path.startsWith("#")) return [];
    const names = (imported ?? required ?? "").match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? [];
    return [{ names: names.filter((name) => !/^(?:as|type|default)$/.test(name)), module, line: startLine + index }];
  });
}
