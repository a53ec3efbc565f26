import type { Style } from "../../cli/render/style.ts";

/** A terminal of 80 columns that shows layout and Unicode, and neither colours nor links. */
export const plainStyle: Style = {
  layout: true,
  color: false,
  linear: false,
  links: false,
  inVscode: false,
  unicode: true,
  width: 80,
};
