import { messageOf } from "../../server/errors.ts";
import type { Log } from "../../server/lib/log.ts";
import type { ConnectedApp } from "./open-app.ts";

/** Indexes the open project, so that the first question finds it. A failure is only logged: a question reports it. */
export function prepareProject({ prepare }: Pick<ConnectedApp, "prepare">, { log }: { log: Log }): void {
  prepare?.({}).catch((error: unknown) => log.debug("project-not-prepared", { error: messageOf(error) }));
}
