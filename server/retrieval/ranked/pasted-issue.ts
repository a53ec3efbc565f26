/** A text with fewer non-empty lines is not treated as a template. */
const fewestLines = 3;

/**
 * A pasted issue without the text of its template and about the reporter's machine: headings, checklists, comments, images,
 * and sections about versions and the environment. Undefined for texts of one or two lines, and if nothing remains.
 */
export function readPastedIssue(text: string): { title: string; text: string } | undefined {
  const lines = withoutComments(text).replace(image, "").split(/\r?\n/);
  if (lines.filter(hasText).length < fewestLines) return undefined;
  const kept: string[] = [];
  let fence: string | undefined;
  let isEnvironment = false;
  for (const [index, line] of lines.entries()) {
    const mark = /^\s*(?:>\s*)?(```|~~~)/.exec(line)?.[1];
    if (mark !== undefined) {
      if (fence === undefined) fence = mark;
      else if (fence === mark) fence = undefined;
      continue;
    }
    // After other code, this is a comment in code pasted without a fence.
    const mayBeHeading = fence === undefined && kept.some(hasText) && !hasText(lines[index - 1] ?? "");
    if (mayBeHeading && heading.test(line)) isEnvironment = environment.test(line);
    else if (!isEnvironment && (fence !== undefined || !checklist.test(line))) kept.push(line);
  }
  const title = kept.find(hasText);
  return title === undefined ? undefined : { title, text: kept.join("\n") };
}

const image = /!\[[^\]\n]{0,300}\]\([^)\n]{0,500}\)|<img\b[^>\n]{0,500}>/gi;
/** Includes bold lines. The first non-empty line is the title, whatever its format. */
const heading = /^(?:#{1,6}\s+\S.*|\*\*[^*\n]+\*\*:?\s*)$/;
const checklist = /^\s*[-*] \[[ xX]\]/;
/** The words in the headings of sections about a machine, as templates write them. */
const environment =
  /\b(?:environment|versions?|system|platform|operating|os|config(?:uration)?|specifications|specs|setup|install(?:ed)?|desktop|device|issue type|software|crates|type of|compile time|checklist|info(?:rmation)?)\b/i;

function withoutComments(text: string): string {
  const [first = "", ...rest] = text.split("<!--");
  const after = rest.map((part) => {
    const end = part.indexOf("-->");
    return end === -1 ? `<!--${part}` : part.slice(end + "-->".length);
  });
  return first + after.join("");
}

function hasText(line: string): boolean {
  return line.trim() !== "";
}
