/** An open fenced code block: its marker (three or more ` or ~) and the width of its prefix. */
export interface Fence {
  marks: string;
  indent: number;
}

/** Allows any indentation, quote and list marks before an opening fence: models fence inside lists. */
const opening = /^(?<before>[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)*)(?<marks>`{3,}(?=[^`]*$)|~{3,})/;
const closing = /^(?<before>[\s>]*)(?<marks>`{3,}|~{3,})\s*$/;

/** Returns the fence that is open after a line, given the one open before it. Returns the same object while it stays open. */
export function fenceAfter(line: string, open: Fence | undefined): Fence | undefined {
  const groups = (open === undefined ? opening : closing).exec(line)?.groups;
  if (groups === undefined) return open;
  const fence = { marks: groups["marks"] ?? "", indent: groups["before"]?.length ?? 0 };
  if (open === undefined) return fence;
  // Indented by four more columns, it is code and not a fence (CommonMark, 4.5).
  const isClosing = fence.marks.startsWith(open.marks) && fence.indent < open.indent + 4;
  return isClosing ? undefined : open;
}
