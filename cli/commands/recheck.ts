import { formatCited, formatLines } from "../../server/protocol/citation.ts";
import {
  type RecheckedCitation,
  type RecheckState,
  stillHolds,
  type ThreadRecheck,
} from "../../server/protocol/threads.ts";
import { styleOf } from "../output/answer-view.ts";
import type { CommonOptions } from "../definitions/global-options.ts";
import { exitCodes } from "../output/exit-codes.ts";
import { findThread } from "../input/find-thread.ts";
import { summarizeRecheck } from "../../client/answer/recheck-words.ts";
import { byPlace } from "../../client/thread-place.ts";
import { jsonText } from "../output/json.ts";
import { openApp, openLog } from "../app/open-app.ts";
import { cleanLine } from "../render/clean.ts";
import { glyphsOf, type Mark, paint, type Style } from "../render/style.ts";
import { type Terminal, write } from "../terminal.ts";

/** Options of `citewell recheck`. */
export interface RecheckOptions extends CommonOptions {
  /** The conversations of other projects, too. */
  all?: boolean;
}

/** Checks the citations of stored answers again, without a model; for CI. */
export async function recheck(ids: readonly string[], options: RecheckOptions, terminal: Terminal): Promise<number> {
  const { signal, stdout } = terminal;
  await using app = openApp(terminal, { log: openLog(terminal, options), quiet: options.quiet });
  const all = ids.length === 0 ? byPlace((await app.listThreads({})).threads) : byPlace([]);
  const named = await Promise.all(ids.map((id) => findThread(app, id)));
  const style = styleOf(stdout, options, terminal);
  const rechecks: ThreadRecheck[] = [];
  const others = options.all === true ? all.elsewhere : [];
  for (const { id } of [...all.here, ...others, ...named]) {
    const thread = await app.recheckThread({ id }, { signal });
    rechecks.push(thread);
    if (options.json !== true) await write(stdout, renderRecheck(thread, style));
  }
  const citations = rechecks.flatMap((thread) => thread.citations);
  const holds = citations.every(stillHolds);
  if (options.json === true) await write(stdout, jsonText({ holds, threads: rechecks }));
  else await write(stdout, `${summarizeRecheck(citations)}\n`);
  return exitCodeFor(citations);
}

/** What cannot be looked at does not hold, and is no fault of the citation either. */
function exitCodeFor(citations: readonly RecheckedCitation[]): number {
  if (citations.some(({ state }) => state === "changed" || state === "gone")) return exitCodes.citationsFailed;
  return citations.every(stillHolds) ? exitCodes.ok : exitCodes.resource;
}

function renderRecheck({ id, title, citations }: ThreadRecheck, style: Style): string {
  const width = Math.max(0, ...citations.map(({ state }) => state.length));
  const lines = citations.map((citation) => `  ${describe(citation, { style, width })}\n`);
  return `${paint(cleanLine(`${id}  ${title}`, style), ["bold"], style)}\n${lines.join("")}\n`;
}

function describe(recheck: RecheckedCitation, { style, width }: { style: Style; width: number }): string {
  const { citation, state, now, reason } = recheck;
  const { icon, mark } = looks(state, style);
  const { resource, commit } = citation;
  const where = `${commit === undefined ? `${resource}/` : ""}${formatCited(citation)}`;
  const isMoved = state === "moved" && now !== undefined;
  const place = isMoved ? `${where} ${glyphsOf(style).arrow} ${now.path}:${formatLines(now)}` : where;
  const note = reason === undefined ? "" : `  ${reason}`;
  return `${paint(`${icon} ${state}`, [mark], style)}${" ".repeat(width - state.length)}  ${cleanLine(place + note, style)}`;
}

function looks(state: RecheckState, style: Style): { icon: string; mark: Mark } {
  const { good, moved, doubtful, bad } = glyphsOf(style);
  switch (state) {
    case "unchanged":
      return { icon: good, mark: "good" };
    case "moved":
      return { icon: moved, mark: "good" };
    case "unknown":
      return { icon: doubtful, mark: "warning" };
    case "changed":
    case "gone":
      return { icon: bad, mark: "bad" };
  }
}
