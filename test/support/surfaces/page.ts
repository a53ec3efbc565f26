import { fencedLines } from "../../../server/protocol/fenced-lines.ts";
import { answeredQuestions } from "./answers.ts";
import { surfaces } from "./surfaces.ts";

/** `docs/development/surfaces.md`. @param chat the text of the chat, by the name of the answer */
export async function surfacesPage(chat: ReadonlyMap<string, string>): Promise<string> {
  const sections: string[] = [];
  for (const [name, asked] of Object.entries(answeredQuestions)) {
    sections.push(`## An answer ${name}`, section("Chat", chat.get(name) ?? ""));
    for (const [surface, draw] of Object.entries(surfaces)) {
      const text = await draw(asked);
      if (text === undefined) continue;
      const shown = section(surface, text);
      // It is the data that the others draw.
      sections.push(surface === "JSON" ? `<details>\n<summary>JSON</summary>\n\n${shown}\n\n</details>` : shown);
    }
  }
  return `${[head, ...sections].join("\n\n")}\n`;
}

const head = `<!-- Written by npm test -- test/extension/webview/surfaces.test.ts -u; not to be edited. -->

# Surfaces

The same answers as each client shows them. What an answer says is computed in \`client/answer/\`, with its sentences in \`server/protocol/answer-words.ts\`; the clients draw it. \`test/client/answer/surfaces.test.ts\` compares them.

Folds are open in the chat and on the web page. Line by line, standard output and standard error are one text. JSON and MCP have no form of an answer that does not end by itself.`;

function section(name: string, text: string): string {
  const lines = text
    .trim()
    .split("\n")
    .map((line) => line.trimEnd());
  return [`### ${name}`, "", ...fencedLines("surface.txt", lines)].join("\n");
}
