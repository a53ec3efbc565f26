import { sentence } from "../../sentence.ts";
import type { L10n } from "./amounts.ts";

interface Rule {
  safeParse(value: unknown): { error?: { issues: readonly { message: string }[] } | undefined };
}

/** What a rule of the protocol has against a text, in its own words. */
export function faultOf(rule: Rule, text: string): string | undefined {
  const message = rule.safeParse(text).error?.issues[0]?.message;
  return message === undefined ? undefined : sentence(message);
}

export function nameFault(
  rule: Rule,
  name: string,
  { taken, l10n }: { taken: readonly string[]; l10n: L10n },
): string | undefined {
  return taken.includes(name) ? l10n.t("There is a resource of this name already.") : faultOf(rule, name);
}

/** Paths separated by commas; a path that holds a comma is for the configuration file. */
export function splitPaths(text: string): string[] {
  return [...new Set(text.split(",").map((path) => path.trim()))].filter((path) => path !== "");
}

export function joinPaths(paths: readonly string[]): string {
  return paths.join(", ");
}

export function pathsFault(rule: Rule, text: string): string | undefined {
  return splitPaths(text)
    .map((path) => faultOf(rule, path))
    .find((fault) => fault !== undefined);
}
