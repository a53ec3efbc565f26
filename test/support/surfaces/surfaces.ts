import { PassThrough, Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { createAnswerView } from "../../../cli/output/answer-view.ts";
import { jsonText } from "../../../cli/output/json.ts";
import { paintSpans } from "../../../cli/render/spans.ts";
import { Interruption, type Terminal } from "../../../cli/terminal.ts";
import { createInlinePainter } from "../../../cli/tui/inline-painter.ts";
import { createSegmentMaker } from "../../../cli/tui/segments.ts";
import { firstState } from "../../../cli/tui/state.ts";
import { conversationMarkdown } from "../../../client/thread-markdown.ts";
import { createParts } from "../../../extension/features/participant/parts.ts";
import { CitewellError } from "../../../server/errors.ts";
import { createAnswerText, renderAnswerEnd, renderTurn } from "../../../server/hosted/pages/answer/answer.ts";
import { toMarkup } from "../../../server/hosted/pages/html.ts";
import { english } from "../../../server/protocol/answer-words.ts";
import { present } from "../../../server/transports/mcp/present.ts";
import { plainStyle } from "../plain-style.ts";
import { type AnsweredQuestion, turnOf } from "./answers.ts";

const style = { ...plainStyle, width: 120 };

/** What each client without a browser shows of an answer, as text. Undefined if it shows nothing of one that ended so. */
export const surfaces = {
  "Terminal, full screen": (asked) =>
    createSegmentMaker(style)(turnOf(asked), { reasoning: false, tools: false })
      .map(({ lines, isTight }) => {
        const shown = lines(style.width).map((line) => `${paintSpans(line, style)}\n`);
        return `${isTight ? "" : "\n"}${shown.join("")}`;
      })
      .join(""),
  "Terminal, inline": (asked) => {
    const output = collect();
    const painter = createInlinePainter(
      { stdout: output.stream },
      {
        style,
        state: () => ({ ...firstState, turns: [turnOf(asked)] }),
        size: () => ({ columns: style.width, rows: 60 }),
      },
    );
    painter.stop();
    return stripVTControlCharacters(output.text()).replaceAll("\r", "");
  },
  "Terminal, line by line": async (asked) => {
    const output = collect();
    const aborted = new AbortController();
    if (asked.outcome.status === "cancelled") aborted.abort(new Interruption("stopped", 130));
    const options = { color: false, input: false, linear: true, thinking: true, tools: true };
    const view = createAnswerView(options, terminalOf(output.stream, aborted.signal));
    for (const event of asked.events) await view.event(event);
    const { answer, error } = turnOf(asked);
    if (asked.outcome.status === "done") await view.finished(answer);
    else await view.failed(answer, new CitewellError("ProviderFailed", error?.error ?? "cancelled"));
    return output.text();
  },
  "Web page": (asked) => {
    const turn = turnOf(asked);
    const blocks = createAnswerText("/p/team")(turn.answer);
    return textOfMarkup(toMarkup(renderTurn({ turn, blocks, end: renderAnswerEnd(turn, { base: "/p/team" }) })));
  },
  "Copilot participant": ({ events }) => {
    const partsOf = createParts(english);
    return events
      .flatMap(partsOf)
      .map((part) => {
        if (part.type === "place") return `[${part.label}]`;
        return part.type === "progress" ? `(${part.text})\n` : part.text;
      })
      .join("");
  },
  MCP: (asked) => {
    if (asked.outcome.status !== "done") return undefined;
    const { content } = present("ask", turnOf(asked).answer, { cwd: undefined, isStructured: false, offset: 0 });
    return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  },
  Markdown: (asked) => conversationMarkdown({ turns: [turnOf(asked)] }),
  JSON: (asked) => (asked.outcome.status === "done" ? jsonText(turnOf(asked).answer) : undefined),
} satisfies Record<string, (asked: AnsweredQuestion) => string | undefined | Promise<string>>;

export type SurfaceName = keyof typeof surfaces;

function collect() {
  let text = "";
  const stream = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  return {
    stream: Object.assign(stream, { isTTY: true, columns: style.width, rows: 60 }),
    text: () => text,
  };
}

function terminalOf(output: Terminal["stdout"], signal: AbortSignal): Terminal {
  return {
    stdin: Object.assign(new PassThrough(), { isTTY: true, fd: 0, setRawMode: () => {} }),
    stdout: output,
    stderr: output,
    env: { TERM: "xterm", LANG: "C.UTF-8" },
    cwd: "/work",
    homeDirectory: "/home/me",
    platform: "linux",
    program: { runtime: "/node", file: "/citewell.mjs" },
    signal,
  };
}

/** What a browser shows of markup, roughly: a line for each block. */
function textOfMarkup(markup: string): string {
  return markup
    .replace(/<template[\s\S]*?<\/template>|<span class="hidden">[\s\S]*?<\/span>/g, "")
    .replace(/\s+/g, " ")
    .replace(/<li>/g, "\n- ")
    .replace(/<\/?(?:article|details|div|h\d|ol|p|section|summary|ul)\b[^>]*>/g, "\n")
    .replace(/<[^>]*>/g, "")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, "&")
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n[ \n]*/g, "\n")
    .trim();
}
