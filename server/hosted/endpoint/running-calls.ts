import { CitewellError } from "../../errors.ts";

/** A request as its client knows it. Two clients with one key may use the same id; their sessions differ. */
export interface CallId {
  /** The id of the API key, or of the account. */
  key: string;
  /** The `Mcp-Session-Id` that the client sent, if any. */
  session: string | undefined;
  requestId: string | number;
}

/** The calls that run in this process, for cancelling them by a notification that comes as another request. */
export interface RunningCalls {
  /** Adds a call until it is disposed of. */
  add(id: CallId, controller: AbortController): Disposable;
  /** Cancels a call. Cancels a call; without a session, only if exactly one call matches. */
  cancel(id: CallId): void;
}

/** Creates an empty table. */
export function createRunningCalls(): RunningCalls {
  const calls = new Map<AbortController, CallId>();
  return {
    add(id, controller) {
      calls.set(controller, id);
      return { [Symbol.dispose]: () => calls.delete(controller) };
    },
    cancel({ key, session, requestId }) {
      const matching = [...calls].filter(
        ([, call]) =>
          call.key === key && call.requestId === requestId && (session === undefined || call.session === session),
      );
      if (session === undefined && matching.length > 1) return;
      for (const [controller] of matching) {
        controller.abort(new CitewellError("Cancelled", "the client cancelled the call"));
      }
    },
  };
}
