import { parseReference, type Reference } from "../../../server/protocol/reference.ts";
import type { Addable } from "./spec.ts";

/**
 * What a pasted or dropped text names: what `parseReference` reads, and the ways in which people have it at hand: in
 * angle brackets or quotes, as a Markdown link, behind `git clone` or `npm install`, as an ssh address, without its scheme.
 */
export function detectReference(text: string): Reference {
  const bare = unwrap(text.trim());
  return parseReference(addressOf(bare) ?? bare);
}

/** Every line of a text that names something beyond doubt. A bare word does not: it may be anything. */
export function detectAll(text: string): Addable[] {
  const found = text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "" && !line.startsWith("#"))
    .map((line) => detectReference(line));
  const addable = found.filter((reference) => reference.type !== "name" && reference.type !== "invalid");
  return [...new Map(addable.map((reference) => [reference.canonical, reference])).values()];
}

function unwrap(text: string): string {
  const link = /^!?\[[^\]]*\]\((?<target>[^)\s]+)[^)]*\)$/.exec(text)?.groups?.["target"];
  const inside = /^(?:<(.*)>|"(.*)"|'(.*)'|`(.*)`)$/
    .exec(text)
    ?.slice(1)
    .find((part) => part !== undefined);
  return (link ?? inside ?? text).trim();
}

function addressOf(text: string): string | undefined {
  const clone = /^git\s+clone\s(?:.*\s)?(?<address>(?:https?:\/\/|ssh:\/\/|git@)\S+)/.exec(text)?.groups?.["address"];
  if (clone !== undefined) return addressOf(clone) ?? clone;
  const install = /^(?:npm|pnpm|yarn|bun)\s+(?:i|install|add)\s+(?:-\S+\s+)*(?<name>[^\s-]\S*)/.exec(text)?.groups?.[
    "name"
  ];
  if (install !== undefined) return `npm:${install}`;
  const ssh = /^(?:ssh:\/\/)?git@(?<host>[\w.-]+)[:/](?<path>[\w./~-]+)$/.exec(text)?.groups;
  if (ssh !== undefined) return `https://${ssh["host"]}/${ssh["path"]?.replace(/\.git$/, "")}`;
  return /^[a-z0-9-]+(?:\.[a-z0-9-]+)+\/[^/\s]+\/\S+$/i.test(text) ? `https://${text}` : undefined;
}
