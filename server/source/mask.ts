import type { LineRange } from "../protocol/citation.ts";
import { showInvisible } from "../protocol/invisible.ts";

/**
 * Returns lines of a file (1-based, inclusive) for display: keys, tokens and private keys are masked, invisible and
 * control characters are shown by their code. Line numbers do not change. Search and verification use the raw text.
 */
export function maskLines(lines: readonly string[], range: LineRange): string[] {
  const secretLines = privateKeyLines(lines, range);
  return lines.slice(range.startLine - 1, range.endLine).map((line, index) => {
    return secretLines.has(range.startLine + index) ? line.replace(/\S.*/s, "‹masked private key›") : maskText(line);
  });
}

/**
 * Masks matching lines, which may be cut. It also needs the lines of the file, because a private key is recognised by
 * the lines before it.
 */
export function maskFound(
  { startLine, lines }: { startLine: number; lines: readonly string[] },
  fileLines: readonly string[],
): string[] {
  const context = fileLines.toSpliced(startLine - 1, lines.length, ...lines);
  return maskLines(context, { startLine, endLine: startLine + lines.length - 1 });
}

/** Masks a text that is not from a file, such as a server's message. */
export function maskText(text: string): string {
  return showInvisible(maskSecrets(text));
}

/** Whether a text contains anything to mask. */
export function holdsSecret(text: string): boolean {
  return maskSecrets(text) !== text;
}

/** Tokens with an issuer's prefix, which ordinary code does not contain. Bounded, so that long lines stay cheap. */
const tokenForms: readonly { name: string; pattern: RegExp }[] = [
  { name: "AWS key", pattern: /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b/g },
  { name: "GitHub token", pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_\w{50,255})\b/g },
  { name: "GitLab token", pattern: /\bgl(?:pat|ptt|dt|rt|cbt|soat)-[\w-]{20,255}/g },
  { name: "Slack token", pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{10,255}/g },
  { name: "Google key", pattern: /\bAIza[\w-]{35}(?![\w-])/g },
  { name: "API key", pattern: /\bsk-(?=[\w-]{0,255}\d)(?=[\w-]{0,255}[A-Z])[\w-]{32,255}/g },
  { name: "Stripe key", pattern: /\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,255}\b/g },
  { name: "npm token", pattern: /\bnpm_[A-Za-z0-9]{36}\b/g },
  { name: "SendGrid key", pattern: /\bSG\.[\w-]{16,32}\.[\w-]{32,64}/g },
  { name: "web token", pattern: /\beyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{10,2000}/g },
  { name: "private key", pattern: /(?<=PRIVATE KEY(?: BLOCK)?-----)[\w+/=\\]{20,20000}/g },
];
/** The password in `scheme://user:password@host`, unless it is a variable. */
const urlPassword = /(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"'`]{0,100}:)[^\s/@"'`$<{%]{3,200}(?=@)/gi;
/** A value assigned to a name such as `token`, with or without quotes. */
const assignment =
  /((?:api[_-]?key|access[_-]?key|private[_-]?key|secret|token|passw(?:or)?d)[\w-]{0,30}["']?\s{0,5}(?:=>|[:=])\s{0,5}["']?)([\w+/=.-]{20,500})(?![\w+/=.(-])/gi;

function maskSecrets(text: string): string {
  return tokenForms
    .reduce((masked, { name, pattern }) => masked.replace(pattern, `‹masked ${name}›`), text)
    .replace(urlPassword, "‹masked password›")
    .replace(assignment, (whole: string, start: string, value: string) => {
      return looksRandom(value) ? `${start}‹masked secret›` : whole;
    });
}

/** Digits mixed with upper and lower case or hexadecimal letters: a generated value, not a name. */
function looksRandom(value: string): boolean {
  const digits = value.replace(/\D/g, "").length;
  return digits >= 4 && (/^[0-9a-f-]+$/i.test(value) || (/[a-z]/.test(value) && /[A-Z]/.test(value)));
}

/** How many lines before the range a key may begin: a 16384-bit key has 200 lines. */
const privateKeyLineLimit = 250;

/**
 * The lines of a range in the body of a private key, which may begin before the range. Only base64 lines count, because
 * the code of a cryptographic library contains the header without a key.
 */
function privateKeyLines(lines: readonly string[], { startLine, endLine }: LineRange): Set<number> {
  const found = new Set<number>();
  let isInside = false;
  for (let line = Math.max(1, startLine - privateKeyLineLimit); line <= endLine; line++) {
    const text = lines[line - 1] ?? "";
    if (/-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/.test(text)) isInside = !text.includes("-----END ");
    else if (!isInside) continue;
    else if (isKeyBody(text, lines[line])) found.add(line);
    else isInside = /^\s*(?:[\w-]+:.*)?$/.test(text);
  }
  return found;
}

function isKeyBody(text: string, next = ""): boolean {
  const bare = text.replace(/\\n|[\s"'`,;+]/g, "");
  return /^[A-Za-z0-9/=]+$/.test(bare) && (bare.length >= 32 || next.includes("-----END "));
}
