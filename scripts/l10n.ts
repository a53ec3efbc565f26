import { answerWords } from "../server/protocol/answer-words.ts";
import { citationStateWords } from "../server/protocol/citation.ts";

const literal = String.raw`("(?:[^"\\]|\\.)*")`;

/**
 * Collects all English sentences of the extension and its chat, in the format of translation bundles
 * (https://code.visualstudio.com/api/references/vscode-api#l10n).
 * @param hostSources TypeScript that calls `l10n.t` with a literal as the first argument
 * @param webviewStrings the source of extension/webview/strings.ts
 */
export function localizationBundle(hostSources: readonly string[], webviewStrings: string): Record<string, string> {
  const ofHost = hostSources.flatMap((source) =>
    literals(source, new RegExp(String.raw`\bl10n\.t\(\s*${literal}`, "g")),
  );
  const [, table = ""] = /export const strings = \{(.*?)\n\} as const;/s.exec(webviewStrings) ?? [];
  const ofWebview = literals(table, new RegExp(String.raw`:\s*${literal}`, "g"));
  const ofAnswers = [...Object.values(answerWords), ...Object.values(citationStateWords)];
  const sentences = [...new Set([...ofHost, ...ofWebview, ...ofAnswers])].sort();
  return Object.fromEntries(sentences.map((sentence) => [sentence, sentence]));
}

function literals(source: string, pattern: RegExp): string[] {
  return [...source.matchAll(pattern)].map(([, quoted = '""']) => String(JSON.parse(quoted)));
}
