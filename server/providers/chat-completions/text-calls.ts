import { readJsonAt } from "../../lib/read-json.ts";

/** A tool call that a model wrote as text. */
export interface TextCall {
  name: string;
  input: Record<string, unknown>;
}

/**
 * Where a tool call as text may begin: the mark-up of Hermes and Qwen (`<tool_call>`), of Qwen3-Coder and Llama 3.1
 * (`<function=`), of Mistral (`[TOOL_CALLS]`), of Llama 3 (`<|python_tag|>`), of DeepSeek, of Kimi K2, and XML (`<invoke`).
 */
export const callOpenings = [
  "<tool_call>",
  "<function=",
  "[TOOL_CALLS]",
  "<|python_tag|>",
  "<｜tool▁calls▁begin｜>",
  "<｜tool▁call▁begin｜>",
  "<|tool_calls_section_begin|>",
  "<|tool_call_begin|>",
  "<function_calls>",
  "<invoke name=",
];

/** Tokens around and between calls. */
const noise =
  /^(?:[\s;,]|<\/?tool_calls?>|\[\/?TOOL_CALLS\]|\[CALL_ID\]\w+|<\/?function_calls>|<\|(?:python_tag|eom_id|eot_id|im_end)\|>|<\|tool_calls?_(?:section_)?(?:begin|end)\|>|<｜tool▁calls?▁(?:begin|end)｜>|<｜end▁of▁sentence｜>|```(?:json)?)/;

/**
 * Reads a text that consists of tool calls and nothing else. Undefined if anything in it is not a call of one of the tools:
 * then it is not certain what the model wanted.
 */
export function readTextCalls(text: string, tools: ReadonlySet<string>): TextCall[] | undefined {
  const calls: TextCall[] = [];
  let rest = text;
  for (;;) {
    const skipped = rest.match(noise);
    if (skipped !== null) {
      rest = rest.slice(skipped[0].length);
      continue;
    }
    if (rest === "") return calls.length === 0 ? undefined : calls;
    const found = readers.map((read) => read(rest)).find((result) => result !== undefined);
    const named = found?.calls.map((call) => ({ ...call, name: toolOf(call.name, tools) }));
    if (found === undefined || named === undefined) return undefined;
    for (const { name, input } of named) {
      if (name === undefined) return undefined;
      calls.push({ name, input });
    }
    rest = rest.slice(found.end);
  }
}

/** Kimi K2 writes `functions.search:0`. */
function toolOf(name: string, tools: ReadonlySet<string>): string | undefined {
  const plain = name
    .trim()
    .replace(/^functions\./, "")
    .replace(/:\d+$/, "");
  return tools.has(plain) ? plain : undefined;
}

type Reader = (text: string) => { calls: TextCall[]; end: number } | undefined;

const readers: readonly Reader[] = [
  readJsonCalls,
  readFunctionTag,
  readInvokeTag,
  readArgumentKeys,
  readNamedArguments,
];

/** `{"name": …, "arguments": {…}}`, or a list of them. */
function readJsonCalls(text: string): ReturnType<Reader> {
  const read = readJsonAt(text, 0);
  if (read === undefined) return undefined;
  const values: unknown[] = Array.isArray(read.value) ? read.value : [read.value];
  const calls = values.map(jsonCall);
  if (calls.length === 0) return undefined;
  const known = calls.filter((call) => call !== undefined);
  return known.length < calls.length ? undefined : { calls: known, end: read.end };
}

function jsonCall(value: unknown): TextCall | undefined {
  if (!isObject(value)) return undefined;
  if (isObject(value["function"])) return jsonCall(value["function"]);
  const name = value["name"] ?? value["tool_name"] ?? value["tool"] ?? value["function"];
  const given = value["arguments"] ?? value["parameters"] ?? value["args"] ?? value["input"];
  const input = typeof given === "string" ? readJsonAt(given, 0)?.value : given;
  return typeof name === "string" && isObject(input) ? { name, input } : undefined;
}

/** `<function=search><parameter=query>retry</parameter></function>`, or with JSON in it. */
function readFunctionTag(text: string): ReturnType<Reader> {
  const [all, name = "", body = ""] = text.match(/^<function=([^>\s]+)>([\s\S]*?)(?:<\/function>|$)/) ?? [];
  if (all === undefined) return undefined;
  const json = readJsonAt(body, 0)?.value;
  const input = isObject(json) ? json : parametersOf(body, /<parameter=([^>\s]+)>([\s\S]*?)<\/parameter>/g);
  return { calls: [{ name, input }], end: all.length };
}

/** `<invoke name="search"><parameter name="query">retry</parameter></invoke>`. */
function readInvokeTag(text: string): ReturnType<Reader> {
  const [all, name = "", body = ""] = text.match(/^<invoke name="([^"]+)">([\s\S]*?)<\/invoke>/) ?? [];
  if (all === undefined) return undefined;
  const input = parametersOf(body, /<parameter name="([^"]+)"[^>]*>([\s\S]*?)<\/parameter>/g);
  return { calls: [{ name, input }], end: all.length };
}

/** GLM: the name, then `<arg_key>query</arg_key><arg_value>retry</arg_value>`. */
function readArgumentKeys(text: string): ReturnType<Reader> {
  const pair = /<arg_key>([\s\S]*?)<\/arg_key>\s*<arg_value>([\s\S]*?)<\/arg_value>/;
  const [all, name = "", body = ""] = text.match(new RegExp(`^([\\w.-]+)\\s*((?:${pair.source}\\s*)+)`)) ?? [];
  if (all === undefined) return undefined;
  return { calls: [{ name, input: parametersOf(body, new RegExp(pair, "g")) }], end: all.length };
}

/** The name, a separator, then JSON: Mistral, DeepSeek (with `function` before the name, JSON in a fence), Kimi K2. */
function readNamedArguments(text: string): ReturnType<Reader> {
  const [head, name = ""] =
    text.match(
      /^(?:function<｜tool▁sep｜>)?([\w.:-]+)\s*(?:\[ARGS\]|<｜tool▁sep｜>|<\|tool_call_argument_begin\|>)?\s*(?:```(?:json)?)?(?=\s*\{)/,
    ) ?? [];
  if (head === undefined) return undefined;
  const read = readJsonAt(text, head.length);
  return read !== undefined && isObject(read.value)
    ? { calls: [{ name, input: read.value }], end: read.end }
    : undefined;
}

/** Values are text: those of another type are converted when the tool checks its arguments. */
function parametersOf(text: string, pattern: RegExp): Record<string, unknown> {
  return Object.fromEntries(
    [...text.matchAll(pattern)].map(([, name = "", value = ""]) => [name.trim(), value.trim()]),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
