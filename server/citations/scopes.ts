import type { LineRange } from "../protocol/citation.ts";
import { type Definition, findDefinitions } from "../source/definitions.ts";

/** The definitions of a file, as far as a quote with an omission must stay within one. */
export interface Scopes {
  /** Whether some definition is the innermost one around each of the ranges: no two functions, no two methods of a class. */
  areInOne(ranges: readonly LineRange[]): boolean;
}

export function findScopes(path: string, lines: readonly string[]): Scopes {
  /** The innermost definition around each line, and the one around that. */
  const innermost = new Map<number, Definition>();
  const parents = new Map<Definition, Definition | undefined>();
  for (const definition of findDefinitions(path, lines)) {
    parents.set(definition, innermost.get(definition.line));
    for (let line = definition.startLine; line <= definition.endLine; line++) innermost.set(line, definition);
  }
  const around = ({ startLine, endLine }: LineRange): Definition | undefined => {
    let definition = innermost.get(startLine);
    while (definition !== undefined && definition.endLine < endLine) definition = parents.get(definition);
    return definition;
  };
  return {
    areInOne(ranges) {
      const [first, ...others] = ranges.map(around);
      return first !== undefined && others.every((other) => other === first);
    },
  };
}
