import { existsSync } from "node:fs";
import { createSession, type Session, type SessionOptions } from "../../client/session.ts";
import { toAbsolutePath } from "../../server/lib/absolute-path.ts";
import { mentionableAmong } from "../../server/protocol/mentions.ts";
import { callOperation } from "../../server/transports/call-operation.ts";
import type { ConnectedApp } from "../app/open-app.ts";
import { wordingOf } from "../input/option-names.ts";
import type { Terminal } from "../terminal.ts";

/** A conversation with the application, whose questions mention resources and paths of this computer. */
export function openSession(
  app: ConnectedApp,
  { cwd, homeDirectory }: Pick<Terminal, "cwd" | "homeDirectory">,
  onChange: SessionOptions["onChange"],
): Session {
  return createSession({
    async ask(request, { signal, onEvent }) {
      for await (const event of callOperation(app, "ask", request, { signal }, wordingOf("ask"))) await onEvent(event);
    },
    async mentionable() {
      const { resources } = await app.listResources({});
      const exists = (path: string) => existsSync(toAbsolutePath(path, { folder: cwd, homeDirectory }));
      return mentionableAmong(resources, { exists });
    },
    onChange,
  });
}
