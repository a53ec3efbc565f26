import { packageName as name, withoutMarks } from "./question-forms.ts";

/** A question for what another version of a dependency changes. */
export interface UpgradeQuestion {
  /** As it is written. */
  package: string;
  to: string | undefined;
}

const version = String.raw`(?:v|version\s+)?(?<to>\d[\w.+-]*?)`;
const raising = String.raw`(?:upgrad|updat|migrat|bump)\w*\s+(?:from\s+|our\s+|the\s+)*`;
const moving = String.raw`(?:move|moving|switch\w*|go|going|chang\w+)\s+(?:from\s+)?`;
const end = String.raw`(?=[\s?!,;)]|[.:]?(?:\s|$))`;

/** Another package with its version: `org.demo:other@5`. */
const another = String.raw`(?<to>@?[\w.-]+(?:[:/][\w.-]+)*@v?\d[\w.+-]*?)`;

const forms = [
  // migrate from junit:junit to org.junit.jupiter:junit-jupiter-api@5
  `\\b(?:${raising}|${moving})${name}\\s+to\\s+${another}${end}`,
  // upgrade zod (from 3) to 4, migrate from pydantic 1 to 2
  `\\b(?:${raising}|${moving})${name}(?:@|\\s+)?(?:from\\s+)?(?:v?\\d[\\w.]*\\s+)?to\\s+(?:the\\s+)?(?:\\k<name>\\s*)?${version}${end}`,
  // upgrade to zod 4, go to express 5
  `\\b(?:${raising}|${moving})to\\s+${name}(?:@|\\s+)${version}${end}`,
  // what breaks with zod 4, breaking changes in express 5
  `\\bbreak\\w*\\b[^.?!]*?\\b(?:with|in|of|by)\\s+${name}(?:@|\\s+)${version}${end}`,
  // what breaks if we upgrade zod, is it safe to update zod to the latest version
  `\\b(?:break\\w*|safe\\w*|affect\\w*|impact\\w*)\\b[^.?!]*?\\b(?:upgrad|updat|bump|migrat)\\w*\\s+(?:our\\s+|the\\s+)*${name}${end}`,
].map((form) => new RegExp(form, "i"));

/** Whether a question asks what an upgrade breaks: "what breaks if I upgrade zod to 4?". */
export function upgradeAsked(question: string): UpgradeQuestion | undefined {
  const plain = withoutMarks(question);
  for (const form of forms) {
    const { name: found, to } = form.exec(plain)?.groups ?? {};
    if (found !== undefined && !notNames.test(found)) return { package: found, to };
  }
  return undefined;
}

const notNames =
  /^(?:it|this|that|to|from|a|an|all|everything|them|dependencies|packages?|version|node|python|java|go|rust)$/i;
