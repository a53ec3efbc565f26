import { describe, expect, test } from "vitest";
import { highlightCode } from "../../../server/source/highlight.ts";
import { paneLines } from "../../../cli/tui/source-pane.ts";
import type { SourceView } from "../../../cli/tui/state.ts";
import { languageOf } from "../../../server/source/languages.ts";
import { citation } from "../../support/chat-states.ts";
import { plainStyle } from "../../support/plain-style.ts";
import { cited, keys, reads, tuiWorld } from "../../support/tui-world.ts";

const source = ["// one", "const two = 2;", "const three = 'a rather long string';", "four();"].join("\n");

function viewOf(startLine: number, endLine: number, top = 1): SourceView {
  const file = { resource: "demo", path: "a.ts", revision: "1", text: source, startLine: 1, endLine: 4, totalLines: 4 };
  return {
    citation: citation({ id: "c1", path: "a.ts", startLine, endLine }),
    number: 1,
    origin: "demo at 1",
    content: { type: "lines", file, lines: highlightCode(languageOf("a.ts"), source), first: 1, top },
  };
}

const textOf = (lines: ReturnType<typeof paneLines>) => lines.map((line) => line.map(({ text }) => text).join(""));

describe("the cited lines", () => {
  test("are marked, and a line that is too long goes on in the next row", () => {
    const lines = paneLines(viewOf(2, 3), { width: 24, height: 10, style: plainStyle });
    expect(textOf(lines).slice(2)).toEqual([
      "1  // one",
      "2 ▌const two = 2;",
      "3 ▌const three = 'a rath",
      "  ▌er long string';",
      "4  four();",
    ]);
  });

  test("have the colours of code; the lines around are dim", () => {
    const lines = paneLines(viewOf(2, 2), { width: 60, height: 10, style: { ...plainStyle, color: true } });
    expect(lines[2]?.slice(2)).toEqual([{ text: "// one", marks: ["dim"] }]);
    expect(lines[3]?.slice(2)).toEqual([
      { text: "const", marks: ["keyword"] },
      { text: " two = ", marks: [] },
      { text: "2", marks: ["number"] },
      { text: ";", marks: [] },
    ]);
  });

  test("are bold without colours", () => {
    const lines = paneLines(viewOf(2, 2), { width: 60, height: 10, style: plainStyle });
    expect(new Set(lines[3]?.slice(2).flatMap(({ marks }) => marks))).toEqual(new Set(["bold"]));
  });

  test("begin at the line that was scrolled to, and fill the height at most", () => {
    const lines = paneLines(viewOf(2, 3, 3), { width: 60, height: 3, style: plainStyle });
    expect(textOf(lines)[2]).toBe("3 ▌const three = 'a rather long string';");
    expect(lines).toHaveLength(3);
  });
});

test("a string that begins far above the cited lines does not colour them", async () => {
  const docstring = `"""\n${"words\n".repeat(1200)}"""\n`;
  await using it = await tuiWorld([
    { toolCalls: [{ name: "read", input: { path: "long.py" } }] },
    "See [[demo:long.py#L1203]].",
  ]);
  await it.folder.write(`//- demo/long.py\n${docstring}import os\n`);
  await using screen = await it.start();
  screen.ask("Where?");
  await screen.shows("1 citation");
  screen.type(keys.ctrl("n"));
  await screen.shows("▌import os");
  const row = screen.runs().find((runs) => runs.some(({ text }) => text.includes("import")));
  expect(row?.find(({ text }) => text.trim() === "import")?.color).toBe(5);
});

test.each([
  ["beside", 140],
  ["below", 80],
])("a drag in the lines %s the answer copies them without their numbers and without the answer", async (_, columns) => {
  await using it = await tuiWorld([reads, cited]);
  await using screen = await it.start({ columns, env: { DISPLAY: "", WAYLAND_DISPLAY: "", TMUX: "" } });
  screen.ask("How long?");
  await screen.shows("2 citations");
  screen.type(keys.ctrl("n"));
  await screen.shows("export const retries = 3;");
  const row = screen.rows().findIndex((text) => text.includes("▌export")) + 1;
  const column = (screen.rows()[row - 1] ?? "").indexOf("▌") + 1;
  screen.type(`\u001B[<0;${column};${row}M\u001B[<32;${column + 20};${row + 1}M\u001B[<0;${column + 20};${row + 1}m`);
  await screen.shows("sent the selection to the terminal's clipboard");
  const [encoded = ""] = screen.output().split("\u001B]52;c;")[1]?.split("\u0007") ?? [];
  expect(Buffer.from(encoded, "base64").toString()).toBe("export const delayMs = 100;\nexport const retries");
});

test("Shift and the arrows, J and K, and the wheel scroll them", async () => {
  const numbered = Array.from({ length: 60 }, (_, index) => `line${index + 1}();`).join("\n");
  await using it = await tuiWorld([
    { toolCalls: [{ name: "read", input: { path: "long.ts" } }] },
    "See [[demo:long.ts#L20-L40]].",
  ]);
  await it.folder.write(`//- demo/long.ts\n${numbered}\n`);
  await using screen = await it.start();
  screen.ask("Where?");
  await screen.shows("1 citation: 1 verified.");
  screen.type(keys.ctrl("n"));
  await screen.shows("▌line20();");
  await screen.shows("17  line17();");
  screen.type("\u001B[1;2B\u001B[1;2B\u001B[1;2B");
  await screen.hides("line19();");
  screen.type("\u001B[1;2A");
  await screen.shows("line19();");
  screen.type(`${keys.tab}${"J".repeat(40)}`);
  await screen.shows("line59();");
  screen.type("J".repeat(40));
  await screen.hides("line59();");
  await screen.shows("60  line60();");
  const row = screen.rows().findIndex((text) => text.includes("line60();")) + 1;
  screen.type(`\u001B[<64;10;${row}M`);
  await screen.shows("57  line57();");
  screen.type("K".repeat(80));
  await screen.shows(/^ ?1 {2}line1\(\);/m);
  expect(screen.rows().join("\n")).toContain("1 citation: 1 verified.");
});
