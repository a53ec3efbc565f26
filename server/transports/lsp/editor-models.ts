import { CancellationTokenSource, ErrorCodes, ProgressType, ResponseError } from "vscode-languageserver";
import { CitewellError, fromErrorBody, messageOf } from "../../errors.ts";
import {
  EditorModelList,
  EditorModelPart,
  editorModelRequests,
  type EditorModels,
  EditorModelUsage,
} from "../../protocol/editor-model.ts";
import { ErrorBody } from "../../protocol/error.ts";
import type { Connection } from "./connection.ts";

/** The models of the connected editor, requested on use. */
export function createEditorModels(connection: Connection): EditorModels {
  return {
    async list({ signal }) {
      return EditorModelList.parse(await send(connection, editorModelRequests.list, {}, signal)).models;
    },
    async respond(request, { onPart, signal }) {
      const partialResultToken = crypto.randomUUID();
      const listening = connection.onProgress(new ProgressType<unknown>(), partialResultToken, (part) =>
        onPart(EditorModelPart.parse(part)),
      );
      try {
        const params = { ...request, partialResultToken };
        return EditorModelUsage.parse(await send(connection, editorModelRequests.respond, params, signal));
      } finally {
        listening.dispose();
      }
    },
  };
}

/** A request to the editor; aborting the signal cancels it there. */
async function send(
  connection: Connection,
  method: string,
  params: object,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  signal?.throwIfAborted();
  const cancellation = new CancellationTokenSource();
  const cancel = () => cancellation.cancel();
  signal?.addEventListener("abort", cancel);
  try {
    return await connection.sendRequest<unknown>(method, params, cancellation.token);
  } catch (error) {
    signal?.throwIfAborted();
    throw toFailure(error);
  } finally {
    signal?.removeEventListener("abort", cancel);
    cancellation.dispose();
  }
}

/** An editor that does not know the request lends no models; whatever else it says names the fault. */
function toFailure(error: unknown): CitewellError {
  if (!(error instanceof ResponseError)) {
    return new CitewellError("ProviderFailed", `the editor did not answer: ${messageOf(error)}`, { cause: error });
  }
  const body = ErrorBody.safeParse(error.data);
  if (body.success) return fromErrorBody(body.data);
  if (error.code === ErrorCodes.MethodNotFound) {
    return new CitewellError("ProviderNotConnected", "this editor lends no models", {
      hint: "choose another provider: Citewell: Choose Model…",
      cause: error,
    });
  }
  return new CitewellError("ProviderFailed", `the editor's model failed: ${error.message}`, { cause: error });
}
