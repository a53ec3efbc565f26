import { expect, test } from "vitest";
import { placePreview } from "../../../client/answer/preview-place.ts";

const view = { width: 320, height: 600 };
const place = (left: number, top: number, size: { width: number; height: number }) =>
  placePreview({ left, top, bottom: top + 20 }, { size, view });

test.each([
  ["below the citation", place(40, 100, { width: 200, height: 150 }), { left: 40, top: 126, height: 150 }],
  [
    "above it where that has more space",
    place(40, 500, { width: 200, height: 150 }),
    { left: 40, top: 344, height: 150 },
  ],
  ["not over the right edge", place(280, 100, { width: 200, height: 150 }), { left: 114, top: 126, height: 150 }],
  ["not over the left edge", place(-9, 100, { width: 314, height: 150 }), { left: 6, top: 126, height: 150 }],
  ["lower than it wants to be", place(40, 100, { width: 200, height: 900 }), { left: 40, top: 126, height: 468 }],
])("a preview is %s", (_, placed, expected) => expect(placed).toEqual(expected));
