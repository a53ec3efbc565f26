import { jsonSchema, type Tool, tool } from "ai";
import type * as z from "zod";
import type { Ledger } from "../../citations/citations.ts";
import { CitewellError } from "../../errors.ts";
import { checkFields, describeFields } from "../../protocol/known-fields.ts";
import { describeIssues } from "../../protocol/validation.ts";
import { toolSchema } from "../../protocol/published-tools.ts";
import type { ToolData } from "../../protocol/tool-data.ts";
import type { Passage } from "../../protocol/passage.ts";
import type { Snapshot } from "../../resources/snapshot.ts";
import type { Retrieval } from "../../retrieval/retrieval.ts";
import { type Properties, tidyArguments } from "./arguments.ts";
import type { Origins } from "./imported.ts";
import type { FindComparison } from "./compare.ts";
import type { FindHistory } from "./history.ts";
import type { Openable } from "./open.ts";
import type { FindUpgrade } from "./upgrade.ts";
import type { ShownLines } from "./shown.ts";
import type { SkippedNotes } from "./skipped.ts";

export interface ToolContext {
  /** Grows with what the model opens. */
  snapshots: readonly Snapshot[];
  openable?: Openable | undefined;
  /** Absent where the code's packages are not known. */
  origins?: Origins | undefined;
  /** Present if one of the snapshots may have a history. */
  findHistory?: FindHistory | undefined;
  /** Present if the question is about another version of a dependency. */
  findUpgrade?: FindUpgrade | undefined;
  /** Present if two of the snapshots are versions of one thing. */
  findComparison?: FindComparison | undefined;
  retrieval: Retrieval;
  /** Takes note of every line that a tool shows. */
  ledger: Pick<Ledger, "show">;
  /** Whether the result of an earlier call is no longer in the model's messages. */
  isLeftOut?: ((toolCallId: string) => boolean) | undefined;
}

/** What the tools of one question share. */
export interface ToolServices extends ToolContext {
  shown: ShownLines;
  noteSkipped: SkippedNotes;
}

export interface ToolResult {
  /** The text that the model reads. */
  text: string;
  /** The same for the built-in provider; undefined if the call failed. */
  data?: Partial<ToolData>;
  /** A few numbers for people: how much was found. */
  metadata: Record<string, unknown>;
  /** Whether the same call may soon find more. */
  isUnfinished?: boolean;
}

export interface RunOptions {
  signal: AbortSignal | undefined;
  /** The id of the call, for `ShownLines`. */
  toolCallId: string;
}

export interface ToolDefinition<Input> {
  name: string;
  /** Tells the model what it is for, when another is better, and the rules of its input. */
  description: string;
  inputSchema: z.ZodObject & z.ZodType<Input>;
  run: (input: Input, options: RunOptions) => Promise<ToolResult>;
}

/** A tool of the AI SDK. What the model asked amiss (a CitewellError) is answered with what to try instead. */
export function defineTool<Input>({
  name,
  description,
  inputSchema,
  run,
}: ToolDefinition<Input>): Tool<unknown, ToolResult> {
  const schema = sentSchemaOf(inputSchema);
  return tool<unknown, ToolResult, Record<string, unknown>>({
    description,
    inputSchema: jsonSchema(schema, {
      // Checked in `execute`: the SDK would tell the model of a fault by a dump.
      validate: (value) => ({ success: true, value: tidyArguments(value, schema.properties) }),
    }),
    async execute(value, { abortSignal: signal, toolCallId }) {
      const input = parseArguments(value, { name, inputSchema });
      try {
        return await run(input, { signal, toolCallId });
      } catch (error) {
        if (signal?.aborted === true)
          throw new Error("stopped: it took too long; ask for less at once", { cause: error });
        if (!(error instanceof CitewellError)) throw error;
        const { message, hint, tag } = error;
        return { text: hint === undefined ? message : `${message}\n${hint}`, metadata: { tag } };
      }
    },
    toModelOutput: ({ output: { text } }) => ({ type: "text", value: text }),
  });
}

/** @throws Error, with what the model must change */
function parseArguments<Input>(
  value: unknown,
  { name, inputSchema }: Pick<ToolDefinition<Input>, "name" | "inputSchema">,
): Input {
  if (typeof value !== "object" || Array.isArray(value)) {
    throw new Error("the arguments must be one JSON object; call the tool once for each set of arguments");
  }
  const { refusal } = checkFields(inputSchema, value, { subject: name, noun: "argument" });
  if (refusal !== undefined) throw new Error(`${refusal}\n${describeFields(name, inputSchema)}`);
  const { data, error } = inputSchema.safeParse(value);
  if (error !== undefined) throw new Error(describeIssues(error, value));
  return data;
}

/** The part of a JSON schema that we read. */
type SentSchema = Record<string, unknown> & { properties: Properties };

/** Made once: a server answers many questions at a time. */
const sentSchemas = new WeakMap<z.ZodObject, SentSchema>();

/**
 * Each step sends it, so it has nothing that a model does not need: not the bounds of texts and numbers. A call that
 * breaks one is told so, and descriptions name those that matter.
 */
function sentSchemaOf(schema: z.ZodObject): SentSchema {
  const known = sentSchemas.get(schema);
  if (known !== undefined) return known;
  const withoutBounds = (key: string, value: unknown) => (bounds.has(key) ? undefined : value);
  const sent: SentSchema = JSON.parse(JSON.stringify(toolSchema(schema, "input"), withoutBounds));
  sentSchemas.set(schema, sent);
  return sent;
}

const bounds = new Set(["minLength", "maxLength", "minimum", "maximum"]);

/**
 * Answers a call that was made before, with the same input over the same resources, by a pointer to its result, as long
 * as the model still has it; and takes note of what each call shows.
 */
export function withoutRepeats<Tools extends Record<string, Tool>>(
  tools: Tools,
  { snapshots, shown, isLeftOut = () => false }: Pick<ToolServices, "snapshots" | "shown" | "isLeftOut">,
): Tools {
  /** The ids of the calls, and whether each result is whole. */
  const seen = new Map<string, { toolCallId: string; isWhole: Promise<boolean> }>();
  for (const [name, tool] of Object.entries(tools)) {
    const { execute } = tool;
    if (execute === undefined) continue;
    tool.execute = async (input, options) => {
      const key = `${name} ${snapshots.length} ${JSON.stringify(input)}`;
      const { toolCallId } = options;
      const earlier = seen.get(key);
      if (earlier !== undefined && !isLeftOut(earlier.toolCallId) && (await earlier.isWhole))
        return { text: "(the same call as before: its result is above)", metadata: {} };
      shown.begin(toolCallId);
      const running: Promise<ToolResult> = execute(input, options);
      const isWhole = running.then(
        ({ isUnfinished }) => isUnfinished !== true,
        () => false,
      );
      seen.set(key, { toolCallId, isWhole });
      let passages: readonly Passage[] = [];
      try {
        const result = await running;
        if (options.abortSignal?.aborted !== true) passages = result.data?.passages ?? [];
        return result;
      } finally {
        shown.end(passages, options);
      }
    };
  }
  return tools;
}
