import { openPicker } from "./pick.ts";
import type { Tui } from "./tui-context.ts";

/** A picker over the lines of the transcript; choosing one scrolls to it. */
export function searchTranscript(tui: Tui): void {
  const { viewport, segments } = tui.view.transcript(tui.state, tui.size());
  const items = segments.flatMap(({ key, isTight, lines }, index) =>
    lines(viewport.width).flatMap((line, row) => {
      const label = line
        .map(({ text }) => text)
        .join("")
        .trim();
      const choose = () => {
        const { transcript } = tui.view.transcript(tui.state, tui.size());
        const blank = isTight || index === 0 ? 0 : 1;
        const anchor = transcript.scroll({ key, row: row + blank }, 0, viewport);
        tui.state = { ...tui.state, anchor, focus: "answer" };
      };
      return label === "" ? [] : [{ label, choose }];
    }),
  );
  openPicker(tui, "search", items);
}
