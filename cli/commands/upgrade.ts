import { version } from "../../package.json";
import { callOperation } from "../../server/transports/call-operation.ts";
import {
  changeWords,
  summarizeUpgrade,
  type UpgradeFinding,
  upgradeMarkdown,
  type UpgradeReport,
} from "../../server/protocol/upgrade.ts";
import { type CitedPlace, formatCitedPlace } from "../../server/protocol/cited-place.ts";
import { connectApp } from "../app/open-app.ts";
import type { ServerOptions } from "../definitions/global-options.ts";
import { wordingOf } from "../input/option-names.ts";
import { toAbsoluteReference } from "../input/references.ts";
import { exitCodes } from "../output/exit-codes.ts";
import { jsonText, requireOneFormat } from "../output/json.ts";
import type { UpgradeFormat } from "../output/report-formats.ts";
import { detectStyle } from "../render/capabilities.ts";
import { cleanLine } from "../render/clean.ts";
import { paint, type Style } from "../render/style.ts";
import { renderUpgradeSarif } from "../render/upgrade-sarif.ts";
import { type Terminal, write } from "../terminal.ts";

/** Options of `citewell upgrade`. */
export interface UpgradeOptions extends ServerOptions {
  to?: string;
  changelog?: string;
  format: UpgradeFormat;
  limit: number;
}

/** What breaks for the project with another version of a dependency. */
export async function upgrade(name: string, options: UpgradeOptions, terminal: Terminal): Promise<number> {
  requireOneFormat(options);
  const { to, limit } = options;
  const { signal, stdout, env, platform } = terminal;
  const changelog = options.changelog === undefined ? undefined : toAbsoluteReference(options.changelog, terminal);
  await using app = await connectApp(terminal, options);
  const request = { package: name, to, changelog, limit };
  const report = await callOperation(app, "upgrade", request, { signal }, wordingOf("upgrade"));
  await write(stdout, toText(report, options, { stdout, env, platform }));
  return exitCodes.ok;
}

function toText(
  report: UpgradeReport,
  { json, format, color }: UpgradeOptions,
  { stdout, env, platform }: Pick<Terminal, "stdout" | "env" | "platform">,
): string {
  switch (json === true ? "json" : format) {
    case "json":
      return jsonText(report);
    case "markdown":
      return upgradeMarkdown(report);
    case "sarif":
      return renderUpgradeSarif(report, { version });
    case "text": {
      const flags = { color };
      return render(report, detectStyle({ isTTY: stdout.isTTY, columns: stdout.columns, env, platform, flags }));
    }
  }
}

function render(report: UpgradeReport, style: Style): string {
  const { findings, total, sections, notes } = report;
  const dim = (text: string) => paint(cleanLine(text, style), ["dim"], style);
  return [
    cleanLine(summarizeUpgrade(report), style),
    "",
    ...findings.flatMap((finding) => [...renderFinding(finding, style), ""]),
    ...(total > findings.length ? [`${total - findings.length} more findings; --limit shows them`, ""] : []),
    ...(sections.length === 0 ? [] : ["Changelog between the versions:"]),
    ...sections.slice(0, 10).map((section) => `  ${renderPlace(section, style)}`),
    ...(sections.length === 0 ? [] : [""]),
    dim("Not seen:"),
    ...notes.map((note) => dim(`  ${note}`)),
    ...(sections.length === 0 ? [dim("  --changelog <url> reads a changelog from the package's repository")] : []),
    "",
  ].join("\n");
}

function renderFinding(
  { name, change, certainty, uses, useCount, before, after, notes }: UpgradeFinding,
  style: Style,
): string[] {
  const colour = change === "removed" ? "bad" : "citation";
  const rest = useCount - uses.length;
  return [
    `${paint(cleanLine(name, style), [colour], style)}  ${changeWords[change]}, ${certainty}`,
    ...uses.map((use) => `  yours   ${renderPlace(use, style)}`),
    ...(rest > 0 ? [`          and ${rest} more ${rest === 1 ? "line" : "lines"}`] : []),
    ...(before === undefined ? [] : [`  before  ${renderPlace(before, style)}`]),
    ...(after === undefined ? [] : [`  after   ${renderPlace(after, style)}`]),
    ...notes.map((note) => `  noted   ${renderPlace(note, style)}`),
  ];
}

function renderPlace(place: CitedPlace, style: Style): string {
  return `${cleanLine(place.text.trim(), style)}  ${paint(cleanLine(formatCitedPlace(place), style), ["dim"], style)}`;
}
