import { nearest } from "../lib/nearest.ts";
import { splitIdentifier, stem } from "../lib/words.ts";
import type { QueryName } from "./query.ts";

/** A named place of a file. Lines are 1-based, inclusive. */
export interface IndexedSymbol {
  name: string;
  file: number;
  startLine: number;
  endLine: number;
}

/** Symbols by their names without case and separators. */
export interface SymbolTable {
  symbols: readonly IndexedSymbol[];
  groups: ReadonlyMap<string, SymbolGroup>;
}

interface SymbolGroup {
  stems: readonly string[];
  symbols: number[];
}

export interface SymbolMatch {
  symbol: IndexedSymbol;
  /** From 0 to 1: the name itself, but for case and separators, most of its words, nearly its letters. */
  strength: number;
}

export function createSymbolTable(symbols: readonly IndexedSymbol[]): SymbolTable {
  const groups = new Map<string, SymbolGroup>();
  for (const [index, { name }] of symbols.entries()) {
    const parts = splitIdentifier(name);
    const joined = parts.join("");
    const group = groups.get(joined);
    if (group !== undefined) group.symbols.push(index);
    else if (joined.length > 1) groups.set(joined, { stems: parts.map(stem), symbols: [index] });
  }
  return { symbols, groups };
}

/** The symbols whose names a question may mean, best first. */
export function matchSymbols(table: SymbolTable, names: readonly QueryName[]): SymbolMatch[] {
  const strengths = new Map<number, number>();
  for (const name of names) {
    for (const { group, strength } of matchGroups(table, name)) {
      for (const symbol of group.symbols) {
        const own = table.symbols[symbol]?.name === name.exact ? strength : strength * 0.95;
        strengths.set(symbol, Math.max(strengths.get(symbol) ?? 0, own * name.weight));
      }
    }
  }
  const matches = [...strengths].flatMap(([index, strength]) => {
    const symbol = table.symbols[index];
    return symbol === undefined ? [] : [{ symbol, strength }];
  });
  return matches.sort((a, b) => b.strength - a.strength);
}

const overlapLimit = 0.6;

function matchGroups(table: SymbolTable, name: QueryName): { group: SymbolGroup; strength: number }[] {
  const exact = table.groups.get(name.joined);
  const matches = exact === undefined ? [] : [{ group: exact, strength: 1 }];
  if (name.isPlain) return matches;
  if (name.stems.length > 1) {
    for (const group of table.groups.values()) {
      const overlap = group === exact ? 0 : overlapOf(name.stems, group.stems);
      if (overlap >= overlapLimit) matches.push({ group, strength: 0.85 * overlap * overlap });
    }
  }
  if (matches.length > 0 || name.joined.length < 4) return matches;
  return nearest(name.joined, table.groups.keys(), { limit: 5 }).flatMap((joined) => {
    const group = table.groups.get(joined);
    return group === undefined ? [] : [{ group, strength: 0.5 }];
  });
}

/** The Dice coefficient of two small sets; a word that is there twice cannot make it more than one. */
function overlapOf(a: readonly string[], b: readonly string[]): number {
  const common = a.filter((item) => b.includes(item)).length;
  return Math.min(1, (2 * common) / (a.length + b.length));
}
