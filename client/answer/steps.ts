import type { ToolState, ToolTrace } from "../../server/protocol/ask.ts";
import { answerWords, english, formatNumber, joinList, type Language } from "../../server/protocol/answer-words.ts";

/** A call of a tool, in words. Its parts may hold any characters: each client has its own way to show them. */
export interface Step {
  /** `search “retry after”`. */
  title: string;
  status: ToolState["status"];
  /** `8 passages`, `lines 1-40`, `running`, `failed`; empty if the tool found nothing to count and wrote nothing. */
  result: string;
  /** What went wrong. */
  fault?: string | undefined;
}

/** What the model did to find its answer. */
export function stepOf({ tool, state }: Pick<ToolTrace, "tool" | "state">, language: Language = english): Step {
  const fault = state.status === "error" ? state.error : undefined;
  return { title: titleOf({ tool, state }), status: state.status, result: resultOf(state, language), fault };
}

/** `7 steps, 1 failed`. */
export function summarizeSteps(tools: readonly Pick<ToolTrace, "state">[], language: Language = english): string {
  const failed = tools.filter(({ state }) => state.status === "error").length;
  const [one, other] =
    failed === 0 ? [answerWords.stepOne, answerWords.steps] : [answerWords.stepFailedOne, answerWords.stepsFailed];
  const count = formatNumber(tools.length, language);
  return language.say(tools.length === 1 ? one : other, count, formatNumber(failed, language));
}

/** The tool that is at work. */
export function runningStep(tools: readonly ToolTrace[]): ToolTrace | undefined {
  return tools.findLast(({ state }) => state.status === "running" || state.status === "pending");
}

/** The tool's own title; a call that has none yet, or failed, is named after its first argument. */
function titleOf({ tool, state }: Pick<ToolTrace, "tool" | "state">): string {
  const { query, pattern, path } = state.input;
  const [about = ""] = [query, pattern, path].filter((value) => typeof value === "string");
  const title = "title" in state ? state.title : undefined;
  return title ?? `${tool} ${about}`.trim();
}

/** The numbers in the tool's metadata, else the first line of its output, such as a path that does not exist. */
function resultOf(state: ToolState, language: Language): string {
  const { say } = language;
  if (state.status === "error") return say(answerWords.failed);
  if (state.status !== "completed") return say(answerWords.running);
  const { output, metadata = {} } = state;
  const counts = Object.entries(metadata).flatMap(([noun, count]) =>
    typeof count === "number" ? [`${formatNumber(count, language)} ${count === 1 ? singular(noun) : noun}`] : [],
  );
  if (counts.length > 0) return joinList(counts, language);
  const { lines } = metadata;
  return typeof lines === "string" ? say(answerWords.lines, lines) : (output.split("\n", 1)[0] ?? "");
}

function singular(noun: string): string {
  return noun.replace(/ies$/, "y").replace(/(?<=ch)es$|s$/, "");
}
