import type * as vscode from "vscode";
import { readQuestion, targetsOf } from "../../../client/targets.ts";
import { mentionableAmong } from "../../../server/protocol/mentions.ts";
import type { Citewell } from "../../context.ts";
import { pathExists } from "../chat/path-exists.ts";

/** A prompt of the editor's chat: its text without mentions, and the resources that it is about, if it names any. */
export async function readPrompt(
  prompt: string,
  { server, selection }: Citewell,
  token: vscode.CancellationToken,
): Promise<{ question: string; resources?: string[] }> {
  const listed = prompt.includes("@") ? await server.request("listResources", {}, { token }) : { resources: [] };
  const { question, mentioned } = readQuestion(prompt, mentionableAmong(listed.resources, { exists: pathExists }));
  const { resources } = targetsOf({ named: mentioned, selected: selection.names });
  return resources.length === 0 ? { question } : { question, resources: [...resources] };
}
