import { expect, test } from "vitest";
import { temporaryFolder } from "../../support/folder.ts";
import { type Multiplexer, multiplexers } from "../../support/multiplexers.ts";
import { openTerminal } from "../../support/screen.ts";
import { scriptedModel } from "../../support/scripted-model.ts";

const answer = `# Delays

The delay is **100** ms [[demo:a.ts#L1]], and 重試 happens 3 times [[demo:a.ts#L9]]. Cafe\u0301, 👩‍👩‍👧‍👦 and 👍🏽 take their columns.

| option | default | meaning |
| --- | ---: | --- |
| \`delayMs\` | 100 | 待ち時間 before the next attempt, in milliseconds |
| \`retries\` | 3 | how often |

\`\`\`ts
export const delayMs = 100;
\`\`\`

- one
- two, which is so long that it does not fit into a narrow terminal without a second line
`;

const modes = [
  { name: "full screen", args: [], prompt: /^❯/m },
  { name: "inline", args: ["--inline"], prompt: /^❯/m },
  { name: "line by line", args: ["--screen-reader"], prompt: /^You:/m },
];
const cases = modes.flatMap((mode) => [40, 80, 200].map((columns) => ({ ...mode, columns })));

test.each(cases)("$name at $columns columns, the same inside tmux and screen", async (options) => {
  const [bare, ...inside] = await Promise.all(
    [undefined, ...multiplexers].map((multiplexer) => screenAfterAnswer({ ...options, inside: multiplexer })),
  );
  expect(bare).toMatchSnapshot();
  expect(inside).toEqual(inside.map(() => bare));
});

interface Options {
  args: string[];
  prompt: RegExp;
  columns: number;
  inside: Multiplexer | undefined;
}

async function screenAfterAnswer({ args, prompt, columns, inside }: Options): Promise<string> {
  await using folder = await temporaryFolder("//- demo/a.ts\nexport const delayMs = 100;\nexport const retries = 3;\n");
  await using model = await scriptedModel([{ toolCalls: [{ name: "read", input: { path: "a.ts" } }] }, answer]);
  const resources = [{ type: "local", name: "demo", path: `${folder.path}/demo` }];
  await folder.write(`//- .home/citewell.config.jsonc\n${JSON.stringify({ ...model.config, resources })}`);
  await using screen = openTerminal(args, { cwd: folder.path, columns, rows: 50, inside });
  await screen.shows(prompt);
  screen.type("How long?\r");
  // Multiplexers draw a row in pieces: it is whole with its last text.
  const lastRow = `Tab citations {2}/ commands {2}@ resources${columns < 80 ? "" : " +openai-compat/scripted demo"}$`;
  await screen.shows(new RegExp(`, 10 out$[^]*^(?:${lastRow}|You:)`, "m"));
  return screen
    .rows()
    .join("\n")
    .replace(/(?<=scripted · )[\d.]+ m?s ·[\s\S]*?, 10 out$/m, "FIGURES")
    .replaceAll(folder.path, "FOLDER")
    .replace(/content-[0-9a-f]+/g, "content-HASH")
    .replace(/\n+$/, "");
}
