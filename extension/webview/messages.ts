import * as z from "zod";
import { Answer, AskEvent, AskRequest } from "../../server/protocol/ask.ts";
import { Citation } from "../../server/protocol/citation.ts";
import { ErrorBody } from "../../server/protocol/error.ts";
import { EditorSettings } from "../../server/protocol/editor-settings.ts";

/**
 * What the chat and its host in the extension say to each other. Both check what arrives: a webview shows what a model
 * wrote, and is not to be trusted with more than these.
 */

/** Lines of the editor that go along with a question. */
export const Attachment = z.object({
  label: z.string().describe("For people: `retry.ts:10-20`."),
  path: z.string(),
  text: z.string().max(60_000),
});
export type Attachment = z.infer<typeof Attachment>;

/** One question and what has come of it. `error` stands beside the partial answer. */
export const Turn = z.object({
  id: z.string(),
  question: z.string(),
  attachment: Attachment.pick({ label: true }).optional(),
  answer: Answer,
  progress: z.string().optional().describe("What arrives at the moment, in words."),
  status: z.enum(["running", "done", "cancelled", "failed"]),
  error: ErrorBody.optional(),
});
export type Turn = z.infer<typeof Turn>;

/** Why there is nothing to ask yet, or what the person should know before. Each has its way on. */
export const Welcome = z.enum([
  "ready",
  "no-resources",
  "no-key",
  "offline",
  "untrusted",
  "virtual",
  "config-invalid",
  "server-failed",
]);
export type Welcome = z.infer<typeof Welcome>;

export const ChatState = z.object({
  thread: z.object({ id: z.string(), title: z.string() }).optional(),
  turns: z.array(Turn).describe("Oldest first; only the last can be running."),
  model: z.object({ provider: z.string(), model: z.string(), label: z.string() }).optional(),
  resources: z
    .array(z.object({ name: z.string(), kind: z.enum(["git", "local", "npm"]), detail: z.string() }))
    .describe("What can be mentioned with `@`."),
  selected: z.array(z.string()).describe("The resources that a question without mentions is about."),
  attachment: Attachment.optional().describe("Goes along with the next question."),
  welcome: Welcome,
  problem: ErrorBody.optional().describe("Behind `server-failed`, `config-invalid`, `offline` and `no-key`."),
  settings: EditorSettings.pick({ showReasoning: true, showTools: true }),
});
export type ChatState = z.infer<typeof ChatState>;

export const ToWebview = z.discriminatedUnion("type", [
  /** Everything; sent when the webview is ready, and whenever more than the running turn has changed. */
  z.object({ type: z.literal("state"), state: ChatState }),
  /** One event of the running turn, to be folded with `foldAnswer`. */
  z.object({ type: z.literal("event"), turn: z.string(), event: AskEvent }),
  /** The cited lines, for the hover; without text where they cannot be read. */
  z.object({
    type: z.literal("preview"),
    turn: z.string(),
    citation: z.string(),
    text: z.string().optional(),
    startLine: z.int().min(1).optional(),
    reason: z.string().optional(),
  }),
  /** Puts the cursor into the box; `text` is put before what is there. */
  z.object({ type: z.literal("compose"), text: z.string().optional() }),
  /** Moves through the conversation, for commands with keys. */
  z.object({
    type: z.literal("move"),
    to: z.enum(["next-citation", "previous-citation", "next-turn", "previous-turn"]),
  }),
]);
export type ToWebview = z.infer<typeof ToWebview>;

const CitationRef = { turn: z.string(), citation: Citation.shape.id };
/** The commands that the webview may start, by the last part of their id. */
export const webviewCommands = [
  "addResource",
  "addDependencies",
  "chooseModel",
  "chooseResources",
  "clear",
  "connectProvider",
  "manageTrust",
  "openConfig",
  "restartServer",
  "showServerLog",
  "newChat",
  "searchThreads",
  "recheckThread",
] as const;

export const FromWebview = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready") }),
  z.object({ type: z.literal("ask"), question: AskRequest.shape.question }),
  z.object({ type: z.literal("stop") }),
  z.object({ type: z.literal("retry"), turn: z.string() }),
  /** Asks again, about an offered dependency as well. */
  z.object({ type: z.literal("include"), turn: z.string(), reference: z.string().max(4096) }),
  /** Asks again in other words: the turn and those after it make room. */
  z.object({ type: z.literal("edit"), turn: z.string(), question: AskRequest.shape.question }),
  z.object({ type: z.literal("openCitation"), ...CitationRef, toSide: z.boolean().default(false) }),
  z.object({ type: z.literal("previewCitation"), ...CitationRef }),
  z.object({ type: z.literal("openLink"), url: z.string().max(4096) }),
  z.object({ type: z.literal("copy"), turn: z.string().optional().describe("Without one: the whole conversation.") }),
  z.object({ type: z.literal("copyText"), text: z.string().max(200_000).describe("A code block.") }),
  z.object({ type: z.literal("export") }),
  z.object({ type: z.literal("detach") }),
  z.object({ type: z.literal("run"), command: z.enum(webviewCommands) }),
  /** The editor has no context of its own for the focus inside a view like this; keys are offered by it. */
  z.object({ type: z.literal("focus"), isInView: z.boolean() }),
]);
export type FromWebview = z.infer<typeof FromWebview>;
