import type * as vscode from "vscode";
import { errorBodyOf } from "../../../client/error-body.ts";
import type { Thread } from "../../../server/protocol/threads.ts";
import type { Citewell } from "../../context.ts";

/** The thread that the window showed last, so that the next window can show it again. */
export interface RememberedThread {
  readonly id: string | undefined;
  remember(id: string | undefined): void;
  /** Undefined if there is none or it cannot be read. Never rejects. */
  read(): Promise<Thread | undefined>;
}

const threadKey = "citewell.chat.thread";

export function createRememberedThread({
  memory,
  readThread,
  log,
}: {
  memory: Pick<vscode.Memento, "get" | "update">;
  /** @throws ServerError (ThreadNotFound) */
  readThread(id: string): Promise<Thread>;
  log: Pick<Citewell["log"], "warn">;
}): RememberedThread {
  return {
    get id() {
      return memory.get<string>(threadKey);
    },
    remember(id) {
      if (memory.get(threadKey) !== id) void memory.update(threadKey, id);
    },
    async read() {
      const id = memory.get<string>(threadKey);
      if (id === undefined) return undefined;
      try {
        return await readThread(id);
      } catch (error) {
        const body = errorBodyOf(error);
        log.warn("thread-not-restored", id, body.error);
        if (body.tag === "ThreadNotFound") void memory.update(threadKey, undefined);
        return undefined;
      }
    },
  };
}
