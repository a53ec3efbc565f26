import * as vscode from "vscode";
import type { PublishedToolName } from "../../server/protocol/published-tools.ts";
import type { Citewell } from "../context.ts";

/** The names in `contributes.languageModelTools`. */
const languageTools: Readonly<Record<`citewell_${PublishedToolName}`, PublishedToolName>> = {
  citewell_ask: "ask",
  citewell_search: "search",
  citewell_history: "history",
  citewell_upgrade: "upgrade",
  citewell_read: "read",
  citewell_verify: "verify",
  citewell_listResources: "listResources",
};

/** Citewell as tools of the editor's agent; absent where the editor has none. */
export function registerLanguageTools(citewell: Citewell): vscode.Disposable {
  if (!("lm" in vscode) || !("registerTool" in vscode.lm)) return new vscode.Disposable(() => {});
  const load = () => import("./language-tools/run.ts");
  const registrations = Object.entries(languageTools).map(([id, name]) =>
    vscode.lm.registerTool<Record<string, unknown>>(id, {
      prepareInvocation: async ({ input }, token) => (await load()).prepareTool(name, input, { citewell, token }),
      invoke: async (options, token) => (await load()).runTool(name, options, { citewell, token }),
    }),
  );
  return vscode.Disposable.from(...registrations);
}
