import * as vscode from "vscode";
import { isProved } from "../../../server/protocol/citation.ts";
import type { Citewell } from "../../context.ts";
import { editorLanguage } from "../../editor-language.ts";
import { isCancelled, toServerError } from "../../server-error.ts";
import { joinQuestion } from "../../../server/protocol/attachment.ts";
import type { EditorModelsFeature } from "../editor-models.ts";
import { findPassages, listResources, placeOf, verifyText } from "./commands.ts";
import { type ChatPart, createParts } from "./parts.ts";
import { readPrompt } from "./prompt.ts";
import { readReferences } from "./references.ts";

export interface RequestContext {
  context: vscode.ChatContext;
  stream: vscode.ChatResponseStream;
  token: vscode.CancellationToken;
  citewell: Citewell;
  editorModels: EditorModelsFeature;
}

export type AskedRequest = Pick<vscode.ChatRequest, "prompt" | "command" | "references" | "model">;

/** Answers in the editor's chat. A failure is shown there only. */
export async function answerRequest(request: AskedRequest, given: RequestContext): Promise<vscode.ChatResult | void> {
  try {
    return await carryOut(request, given);
  } catch (error) {
    if (isCancelled(error)) return undefined;
    const { message, hint, tag } = toServerError(error);
    const text = hint === undefined ? message : `${message}\n\n${hint}`;
    return { errorDetails: { message: text }, metadata: { tag } };
  }
}

async function carryOut(request: AskedRequest, given: RequestContext): Promise<vscode.ChatResult | undefined | void> {
  switch (request.command) {
    case "find":
      return findPassages(request, given);
    case "verify":
      return verifyText(request, given);
    case "resources":
      return listResources(given);
    case undefined:
    default:
      return ask(request, given);
  }
}

/** Asks with the model that is chosen in the chat; the conversation lasts as long as the chat. */
async function ask(
  request: AskedRequest,
  { context, stream, token, citewell, editorModels }: RequestContext,
): Promise<vscode.ChatResult> {
  const { server, changes } = citewell;
  const { question, ...about } = await readPrompt(request.prompt, citewell, token);
  const attachments = await readReferences(request.references);
  using lent = lendModel(request, editorModels);
  const partsOf = createParts(editorLanguage);
  const written = await server.request(
    "ask",
    {
      question: joinQuestion(question, attachments),
      ...about,
      ...(lent.model === undefined ? {} : { model: lent.model }),
      thread: threadOf(context) ?? "new",
      progress: true,
    },
    { token, onEvent: (event) => partsOf(event).forEach((part) => showPart(part, stream)) },
  );
  changes.fire("threads");
  const states = written.citations.map(({ state }) => state);
  const { thread, resources, offers } = written;
  return { metadata: { thread, resources, states, offers: offers?.map(({ name }) => name), prompt: request.prompt } };
}

function lendModel({ model }: AskedRequest, editorModels: EditorModelsFeature) {
  // An editor without any model still has a chat, and its requests none.
  const lent: ReturnType<EditorModelsFeature["lend"]> | undefined = model && editorModels.lend(model);
  return { model: lent?.ref, [Symbol.dispose]: () => lent?.dispose() };
}

/** The conversation that the last answer of ours is kept in. */
function threadOf({ history }: vscode.ChatContext): string | undefined {
  const last = history.findLast((turn) => turn instanceof vscode.ChatResponseTurn);
  const thread: unknown = last?.result.metadata?.["thread"];
  return typeof thread === "string" ? thread : undefined;
}

function showPart(part: ChatPart, stream: vscode.ChatResponseStream): void {
  switch (part.type) {
    case "progress":
      return stream.progress(part.text);
    case "markdown":
      return stream.markdown(part.text);
    case "place":
      stream.anchor(placeOf(part.citation), part.label);
      if (isProved(part.citation)) stream.reference(placeOf(part.citation));
  }
}
