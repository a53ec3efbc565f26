import type * as vscode from "vscode";
import type { Citations, Server } from "../../context.ts";
import { compareWithInstalled } from "./compare.ts";
import { chooseThread, recheckThread } from "./recheck.ts";
import type { Texts } from "./texts.ts";
import { createVerification } from "./verification.ts";

/** What can be done with citations beyond opening them; loaded with the first such command. */
export interface CitationCommands extends vscode.Disposable {
  compare(uri: unknown): Promise<void>;
  recheck(argument: unknown): Promise<void>;
  verify(): Promise<void>;
  clearVerification(): void;
}

/** Creates the commands that compare, re-check and verify citations. */
export function createCitationCommands({
  server,
  texts,
  open,
}: {
  server: Server;
  texts: Texts;
  open: Citations["open"];
}): CitationCommands {
  const verification = createVerification({ server });
  return {
    compare: (uri) => compareWithInstalled(uri, { server, texts }),
    async recheck(argument) {
      const thread = await chooseThread(argument, { server });
      if (thread !== undefined) await recheckThread(thread, { server, open });
    },
    verify: () => verification.verifyActive(),
    clearVerification: () => verification.clear(),
    dispose: () => verification.dispose(),
  };
}
