/** Lines of a citation that a preview shows; the rest opens with a click. */
export const previewLines = 12;
/** From the pointer's first move on a citation to its preview, and from the pointer's leaving to its closing. */
export const previewDelayMs = { show: 300, hide: 150 };
/** Pixels between a preview, its citation and the edge of the view. */
const gap = 6;

/** A box in the view, in pixels from its corner at the top left. */
export interface Box {
  left: number;
  top: number;
  bottom: number;
}

/** Width and height, in pixels. */
export interface Size {
  width: number;
  height: number;
}

/**
 * Where the preview of a citation is: below the citation if it fits there, else where there is more space. It never lies
 * on the citation, as a press that brings it up would then be released on the preview, and open nothing.
 */
export function placePreview(
  target: Box,
  { size, view }: { size: Size; view: Size },
): { left: number; top: number; height: number } {
  const below = view.height - target.bottom - 2 * gap;
  const above = target.top - 2 * gap;
  const isBelow = size.height <= below || below >= above;
  const height = Math.min(size.height, Math.max(0, isBelow ? below : above));
  return {
    left: Math.max(gap, Math.min(target.left, view.width - size.width - gap)),
    top: isBelow ? target.bottom + gap : target.top - gap - height,
    height,
  };
}
