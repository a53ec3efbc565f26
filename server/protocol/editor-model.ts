import * as z from "zod";

/**
 * The editor's models, lent to the server over the editor's own channel: requests that the server sends and the editor
 * answers. They know users and assistants only, and take no more than `maxInputTokens`.
 */
export const editorModelRequests = {
  list: "citewell/editorModels/list",
  /** The parts go as `$/progress` on its `partialResultToken`; the result is how many tokens it took. */
  respond: "citewell/editorModels/respond",
} as const;

export const EditorModel = z
  .object({
    id: z.string().min(1),
    vendor: z.string(),
    family: z.string(),
    name: z.string(),
    maxInputTokens: z.int().nonnegative(),
  })
  .meta({ id: "EditorModel" });
export type EditorModel = z.infer<typeof EditorModel>;

export const EditorModelList = z.object({ models: z.array(EditorModel) });

const Text = z.object({ type: z.literal("text"), text: z.string() });
const ToolCall = z.object({
  type: z.literal("tool-call"),
  callId: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
});
const ToolResult = z.object({ type: z.literal("tool-result"), callId: z.string(), text: z.string() });

export const EditorMessage = z.discriminatedUnion("role", [
  z.object({ role: z.literal("user"), content: z.array(z.discriminatedUnion("type", [Text, ToolResult])) }),
  z.object({ role: z.literal("assistant"), content: z.array(z.discriminatedUnion("type", [Text, ToolCall])) }),
]);
export type EditorMessage = z.infer<typeof EditorMessage>;

export const EditorTool = z.object({
  name: z.string(),
  description: z.string(),
  inputSchema: z.record(z.string(), z.unknown()).describe("A JSON schema."),
});

export const EditorModelRequest = z.object({
  model: z.string().describe("An id of the list."),
  messages: z.array(EditorMessage),
  tools: z.array(EditorTool),
});
export type EditorModelRequest = z.infer<typeof EditorModelRequest>;

/** What a model says, piece by piece. */
export const EditorModelPart = z.discriminatedUnion("type", [Text, ToolCall]);
export type EditorModelPart = z.infer<typeof EditorModelPart>;

const TokenCount = z.int().nonnegative().optional().describe("As counted by the model, if it can.");
export const EditorModelUsage = z.object({ inputTokens: TokenCount, outputTokens: TokenCount });
export type EditorModelUsage = z.infer<typeof EditorModelUsage>;

/** The editor's models for the provider `vscode`; the transport to the editor supplies them. */
export interface EditorModels {
  /** @throws ProviderNotConnected (the editor has none, or does not lend them) */
  list(options: { signal?: AbortSignal | undefined }): Promise<EditorModel[]>;
  /**
   * Asks a model; its parts go to `onPart`, in order, before the promise settles. Aborting stops the model.
   * @throws ModelNotFound, ProviderRefused, ProviderRateLimited, ProviderFailed; an abort of `signal` as its reason
   */
  respond(
    request: EditorModelRequest,
    options: { onPart: (part: EditorModelPart) => void; signal?: AbortSignal | undefined },
  ): Promise<EditorModelUsage>;
}
