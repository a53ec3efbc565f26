import { existsSync } from "node:fs";
import { toAbsolutePath } from "../../server/lib/absolute-path.ts";
import { extractMentions, mayMention, mentionableAmong } from "../../server/protocol/mentions.ts";
import type { ConnectedApp } from "../app/open-app.ts";
import type { Terminal } from "../terminal.ts";

/** Takes the `@mentions` out of a question. */
export async function readMentions(
  app: Pick<ConnectedApp, "listResources">,
  question: string,
  { signal, cwd, homeDirectory }: Pick<Terminal, "signal" | "cwd" | "homeDirectory">,
): Promise<{ question: string; resources: readonly string[] }> {
  if (!mayMention(question)) return { question, resources: [] };
  const { resources } = await app.listResources({}, { signal });
  const exists = (path: string) => existsSync(toAbsolutePath(path, { folder: cwd, homeDirectory }));
  return extractMentions(question, mentionableAmong(resources, { exists }));
}
