import * as vscode from "vscode";
import type { SessionOptions } from "../../../client/session.ts";
import type { Server } from "../../context.ts";
import { startTrace, type Trace, traceEvent, traceJson } from "./trace.ts";

/** How the session asks: through the child process, with a trace of the last question. */
export interface AskServer {
  ask: SessionOptions["ask"];
  /** JSON; undefined without a question. */
  lastTrace(): string | undefined;
}

/** Asks questions of the server for a session. */
export function createAskServer(server: Pick<Server, "stream">): AskServer {
  let trace: Trace | undefined;
  return {
    async ask(request, { signal, onEvent }) {
      const current = startTrace(request, new Date().toISOString());
      trace = current;
      const source = new vscode.CancellationTokenSource();
      const cancel = () => source.cancel();
      signal.addEventListener("abort", cancel);
      try {
        await server.stream("ask", request, {
          token: source.token,
          onEvent(event) {
            traceEvent(current, event);
            void onEvent(event);
          },
        });
      } finally {
        signal.removeEventListener("abort", cancel);
        source.dispose();
      }
    },
    lastTrace: () => trace && traceJson(trace),
  };
}
