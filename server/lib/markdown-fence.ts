/** An open fenced code block: its marks (``` or ~~~, three of them or more) and how much stands before them. */
export interface Fence {
  marks: string;
  indent: number;
}

/** Any indentation, quote and list marks may stand before the opening one: models fence inside lists. */
const opening = /^(?<before>[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)*)(?<marks>`{3,}(?=[^`]*$)|~{3,})/;
const closing = /^(?<before>[\s>]*)(?<marks>`{3,}|~{3,})\s*$/;

/** The fence that is open after a whole line of Markdown, where `open` was before it. The same object while it stays open. */
export function fenceAfter(line: string, open: Fence | undefined): Fence | undefined {
  const groups = (open === undefined ? opening : closing).exec(line)?.groups;
  if (groups === undefined) return open;
  const fence = { marks: groups["marks"] ?? "", indent: groups["before"]?.length ?? 0 };
  if (open === undefined) return fence;
  // Four columns more are code that shows a fence (CommonMark, 4.5).
  const isClosing = fence.marks.startsWith(open.marks) && fence.indent < open.indent + 4;
  return isClosing ? undefined : open;
}
