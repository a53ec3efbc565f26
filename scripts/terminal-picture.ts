import path from "node:path";
import { launchBrowser } from "../test/support/editor/browser.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import { openTerminal, type TextRun } from "../test/support/screen.ts";
import { scriptedModel } from "../test/support/scripted-model.ts";
import { question, script, workspace } from "./screenshot-story.ts";

/**
 * Writes docs/images/terminal.png: the built command line answers, and the cited lines are open beside the answer. The
 * Marketplace accepts no SVG in a README.
 */
const root = path.resolve(import.meta.dirname, "..");
const columns = 132;
const rows = 26;
const cell = { width: 8.4, height: 18, fontSize: 14 };
const margin = 16;
const colors = {
  background: "#1e1e1e",
  text: "#d4d4d4",
  palette: ["#5a5a5a", "#f48771", "#89d185", "#e2c08d", "#6cb6ff", "#d6a5e3", "#56c8d8", "#d4d4d4"],
};

await using folder = await temporaryFolder(workspace().replaceAll(/^\/\/- /gm, "//- citewell/"));
const project = path.join(folder.path, "citewell");
await using model = await scriptedModel(script(), { models: ["local-model"] });
const resources = [{ type: "local", name: "citewell", path: project }];
await folder.write(
  `//- .home/citewell.config.jsonc\n${JSON.stringify({ ...model.config, model: "local-model", resources })}`,
);
const env = { HOME: folder.path, CITEWELL_HOME: path.join(folder.path, ".home") };
await using screen = openTerminal([], { cwd: project, columns, rows, env });
await screen.shows(/^❯/m);
screen.type(`${question}\r`);
await screen.shows("2 citations: 2 verified.");
screen.type("\u000E");
await screen.shows("▌export function retryAfterMs");
const browser = await launchBrowser();
const page = await browser.newPage({
  viewport: { width: Math.round(columns * cell.width) + 2 * margin, height: rows * cell.height + 2 * margin },
});
await page.setContent(`<body style="margin: 0">${toSvg(screen.runs())}</body>`);
await page.screenshot({ path: path.join(root, "docs/images/terminal.png"), omitBackground: true });
await browser.close();

function toSvg(lines: readonly (readonly TextRun[])[]): string {
  const width = columns * cell.width + 2 * margin;
  const height = rows * cell.height + 2 * margin;
  const texts = lines.flatMap((runs, row) => {
    let column = 0;
    return runs.map((run) => {
      const x = margin + column * cell.width;
      column += run.text.length;
      return run.text.trim() === "" ? "" : toText(run, { x, y: margin + (row + 0.75) * cell.height });
    });
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${round(width)} ${height}" role="img" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="${cell.fontSize}">`,
    "<title>Citewell in a terminal: an answer with numbered citations, and the cited lines beside it</title>",
    `<rect width="100%" height="100%" rx="8" fill="${colors.background}"/>`,
    ...texts.filter((text) => text !== ""),
    "</svg>",
    "",
  ].join("\n");
}

function toText(run: TextRun, { x, y }: { x: number; y: number }): string {
  const { text, isBold, isDim, isInverse, isUnderlined, color } = run;
  const shown = text.trimEnd();
  const ink = color === undefined ? colors.text : (colors.palette[color % 8] ?? colors.text);
  const looks = [
    `fill="${isInverse ? colors.background : ink}"`,
    ...(isBold ? ['font-weight="bold"'] : []),
    ...(isDim ? ['opacity="0.6"'] : []),
    ...(isUnderlined ? ['text-decoration="underline"'] : []),
  ];
  const length = round(shown.length * cell.width);
  const top = round(y - 0.75 * cell.height);
  const behind = `<rect x="${round(x)}" y="${top}" width="${length}" height="${cell.height}" fill="${ink}"/>`;
  return `${isInverse ? behind : ""}<text x="${round(x)}" y="${round(y)}" textLength="${length}" xml:space="preserve" ${looks.join(" ")}>${escapeXml(shown)}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escapeXml(text: string): string {
  return text.replace(/[&<>]/g, (character) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[character] ?? "");
}
