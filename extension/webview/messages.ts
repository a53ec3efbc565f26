import * as z from "zod";
import { Answer, AskEvent, AskRequest, ProgressEvent } from "../../server/protocol/ask.ts";
import { Attachment } from "../../server/protocol/attachment.ts";
import { Citation } from "../../server/protocol/citation.ts";
import { ErrorBody } from "../../server/protocol/error.ts";
import { KindName } from "../../server/protocol/kinds/kinds.ts";
import { EditorSettings } from "../../server/protocol/editor-settings.ts";

/**
 * The messages between the chat's page and its host in the extension; the receiver checks each once. The host keeps the
 * conversation. The page receives it whole when it opens, then every change, and applies the same functions
 * (`client/conversation.ts`).
 */

/** `ShownTurn` of the conversation. */
export const Turn = z.object({
  id: z.string(),
  question: z.string(),
  attachments: z.array(Attachment.pick({ label: true })).optional(),
  answer: Answer,
  arriving: z.record(z.string(), ProgressEvent).optional(),
  status: z.enum(["running", "done", "cancelled", "failed"]),
  error: ErrorBody.optional(),
});
export type Turn = z.infer<typeof Turn>;

/** An attachment without its text. */
const AttachmentRef = Attachment.pick({ label: true, path: true });

/** A file of an open project. */
export const ProjectFile = z.object({ resource: z.string().max(4096), path: z.string().max(4096) });
export type ProjectFile = z.infer<typeof ProjectFile>;

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

const setupFields = {
  model: z.object({ provider: z.string(), model: z.string(), label: z.string() }).optional(),
  resources: z
    .array(z.object({ name: z.string(), type: KindName, detail: z.string() }))
    .describe("What can be mentioned with `@`."),
  selected: z.array(z.string()).describe("The resources that a question without mentions is about."),
  attachments: z.array(AttachmentRef).describe("Go along with the next question."),
  followUps: z.array(z.string()).describe("What one may ask after the last answer."),
  welcome: Welcome,
  problem: ErrorBody.optional().describe("Behind `server-failed`, `config-invalid`, `offline` and `no-key`."),
  settings: EditorSettings.pick({ showReasoning: true, showTools: true }),
};

/** Everything around the conversation. */
export const ChatSetup = z.object(setupFields);
export type ChatSetup = z.infer<typeof ChatSetup>;

/** What the chat's page draws. */
export const ChatState = z.object({
  ...setupFields,
  thread: z.object({ id: z.string(), title: z.string() }).optional(),
  turns: z.array(Turn).describe("Oldest first; only the last can be running."),
});
export type ChatState = z.infer<typeof ChatState>;

/** A message from the extension to the chat's page. */
export const ToWebview = z.discriminatedUnion("type", [
  /** Everything; sent when the page opens and when another conversation is shown. */
  z.object({ type: z.literal("state"), state: ChatState }),
  z.object({ type: z.literal("setup"), setup: ChatSetup }),
  /** A question was asked, perhaps in place of the turn `replaces` and those after it. */
  z.object({ type: z.literal("started"), turn: Turn, replaces: z.string().optional() }),
  /** An event of the running turn. */
  z.object({ type: z.literal("event"), event: AskEvent }),
  /** The thread was deleted elsewhere; the running question begins a new one. */
  z.object({ type: z.literal("thread-deleted") }),
  /** The running turn ended. */
  z.object({
    type: z.literal("ended"),
    outcome: z.discriminatedUnion("status", [
      z.object({ status: z.enum(["done", "cancelled"]) }),
      z.object({ status: z.literal("failed"), error: ErrorBody }),
    ]),
  }),
  /** The cited lines, for the hover; without text where they cannot be read. */
  z.object({
    type: z.literal("preview"),
    turn: z.string(),
    citation: z.string(),
    text: z.string().optional(),
    startLine: z.int().min(1).optional(),
    reason: z.string().optional(),
  }),
  /** The files for a `findFiles`. */
  z.object({ type: z.literal("files"), query: z.string(), files: z.array(ProjectFile) }),
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

/** A message from the chat's page to the extension. */
export const FromWebview = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready") }),
  z.object({ type: z.literal("ask"), question: AskRequest.shape.question }),
  /** Asks a suggested question; what is in the box stays there. */
  z.object({ type: z.literal("followUp"), question: AskRequest.shape.question }),
  z.object({ type: z.literal("stop") }),
  z.object({ type: z.literal("retry"), turn: z.string() }),
  /** Asks again with a model, which the user chooses if there is none. */
  z.object({ type: z.literal("explain"), turn: z.string() }),
  /** Asks again, about an offered dependency as well. */
  z.object({ type: z.literal("include"), turn: z.string(), reference: z.string().max(4096) }),
  /** Asks again in other words: the turn and those after it make room. */
  z.object({ type: z.literal("edit"), turn: z.string(), question: AskRequest.shape.question }),
  z.object({
    type: z.literal("openCitation"),
    ...CitationRef,
    toSide: z.boolean().default(false),
    takesFocus: z.boolean().default(false).describe("Whether the cursor goes there, out of the chat."),
  }),
  z.object({ type: z.literal("previewCitation"), ...CitationRef }),
  z.object({ type: z.literal("openLink"), url: z.string().max(4096) }),
  z.object({ type: z.literal("copy"), turn: z.string().optional().describe("Without one: the whole conversation.") }),
  z.object({ type: z.literal("copyText"), text: z.string().max(200_000).describe("A code block.") }),
  z.object({ type: z.literal("export") }),
  /** Looks for files of the open projects. */
  z.object({ type: z.literal("findFiles"), query: z.string().max(200) }),
  /** Adds a file that was found. */
  z.object({ type: z.literal("attachFile"), ...ProjectFile.shape }),
  z.object({ type: z.literal("detach"), ...AttachmentRef.shape }),
  z.object({ type: z.literal("run"), command: z.enum(webviewCommands) }),
  /** The editor has no context of its own for the focus inside a view like this; keys are offered by it. */
  z.object({ type: z.literal("focus"), isInView: z.boolean() }),
]);
export type FromWebview = z.infer<typeof FromWebview>;
