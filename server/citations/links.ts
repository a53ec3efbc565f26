import type { Bracket } from "./place.ts";

/** How far a destination is read to see what it is, in UTF-16 units. */
const headLimit = 120;
const destination = /^(?:\(\s*|:[ \t]*\n?[ \t]*)<?(?<head>[^\s()<>/?]{0,120})/;
const tagName = /^<(?<name>[a-z][a-z0-9+.-]{0,31})?/i;

/** Only the server makes links of these schemes: clients take them for checked citations. */
const ours = /^(?:citewell|file):/i;
const openable = /^(?:https?|mailto):/i;

/**
 * What to write for the first character of `text` (`(`, `:` or `<`) where a link begins that the model wrote itself and
 * that must not be one; undefined where it may stay, `open` where more text is needed to tell. Links of the schemes
 * that citations use are disarmed wherever they stand. In prose this goes for all that lead nowhere (relative ones) or
 * somewhere unforeseen (other schemes), for images, which a client would fetch, and for links around a citation. They
 * become plain text: `[text] (unchecked link: citewell:/…)`. Links to the web and mail addresses stay.
 */
export function defuse(text: string, place: LinkPlace): Defused {
  if (text.startsWith("<")) return defuseTag(text, place);
  if (!place.isAfterBracket) return undefined;
  const match = destination.exec(text);
  const head = match?.groups?.["head"] ?? "";
  const length = match?.[0].length ?? 0;
  if (length === text.length && head.length < headLimit) return "open";
  if (text.startsWith(":")) return ours.test(decode(head)) ? { text: " (unchecked link):" } : undefined;
  return defuseDestination(head, { ...place, isEmpty: text[length] === ")" && head === "" });
}

type Defused = { text: string } | "open" | undefined;

/** What goes before the link. */
interface LinkPlace {
  inCode: boolean;
  isEscaped: boolean;
  isAfterBracket: boolean;
  /** A backslash there would be a part of the address. */
  isAfterAddress: () => boolean;
  /** The bracket that may be the text of a link, in prose. */
  bracket: Bracket | undefined;
}

function defuseDestination(head: string, { inCode, bracket, isEmpty }: LinkPlace & { isEmpty: boolean }): Defused {
  const note = { text: " (unchecked link: " };
  if (ours.test(decode(head))) return note;
  if (inCode || bracket === undefined || isEmpty) return undefined;
  if (head.includes("[[")) return { text: " (" };
  return openable.test(head) && !bracket.isImage && !bracket.hasCitation ? undefined : note;
}

/** `<scheme:…>` is a link as well, and so is `<a …>`. */
function defuseTag(text: string, { inCode, isEscaped, isAfterAddress }: LinkPlace): Defused {
  const match = tagName.exec(text);
  const name = match?.groups?.["name"] ?? "";
  const following = text[match?.[0].length ?? 0];
  if (following === undefined) return "open";
  const isOurs = following === ":" && ours.test(`${name}:`);
  if (inCode) return isOurs ? { text: "< " } : undefined;
  if (isEscaped && !isAfterAddress()) return undefined;
  const isLink = following === ":" ? !openable.test(`${name}:`) : /^a$/i.test(name) && /[\s/>]/.test(following);
  if (!isLink) return undefined;
  return { text: isAfterAddress() ? "< " : "\\<" };
}

/** Backslashes and character references, as Markdown reads them in a destination. */
function decode(head: string): string {
  return head
    .replace(/\\([!-/:-@[-`{-~])/g, "$1")
    .replace(/&colon;/gi, ":")
    .replace(/&#(\d{1,7});/g, (_, digits: string) => fromCode(Number(digits)))
    .replace(/&#x([0-9a-f]{1,6});/gi, (_, digits: string) => fromCode(Number.parseInt(digits, 16)));
}

function fromCode(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : "";
}
