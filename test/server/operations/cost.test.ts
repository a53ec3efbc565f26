import { expect, test } from "vitest";
import { type Answer, emptyAnswer, foldAnswer } from "../../../server/protocol/ask.ts";
import { localApp } from "../../support/connect.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { scriptedModel, type ScriptedReply } from "../../support/scripted-model.ts";

/** A call at 1.25 and 10 US$ per million tokens in and out: 0.0125 and 0.01 US$. */
const usage = { input: 10_000, output: 1000 };
const lookAgain = (): ScriptedReply => ({ toolCalls: [{ name: "read", input: { path: "a.ts" } }], usage });

/** Asks `vercel/openai/gpt-5`, whose price the catalogue knows, unless told otherwise. */
async function ask(
  script: Parameters<typeof scriptedModel>[0],
  { maxCostUsd, model = "openai/gpt-5" }: { maxCostUsd?: number; model?: string } = {},
): Promise<{ answer: Answer; requests: number }> {
  await using server = await scriptedModel(script, { models: [model] });
  await using folder = await temporaryFolder("//- demo/a.ts\nexport const a = 1;\n");
  const config = {
    provider: "vercel",
    model,
    ...(maxCostUsd === undefined ? {} : { maxCostUsd }),
    providerOptions: { vercel: { baseURL: server.baseURL } },
    resources: [{ type: "local", name: "demo", path: `${folder.path}/demo` }],
  };
  await folder.write(`//- .home/citewell.config.jsonc\n${JSON.stringify(config)}`);
  await using app = localApp(folder.path, { AI_GATEWAY_API_KEY: "K" });
  let answer = emptyAnswer;
  for await (const event of app.ask({ question: "What is a?" })) answer = foldAnswer(answer, event);
  return { answer, requests: server.requests.length };
}

test("an answer says what it cost, and by which prices", async () => {
  const { answer } = await ask([lookAgain(), { text: "It is 1.", usage }]);
  expect(answer.metrics?.pricing).toEqual({
    source: expect.stringMatching(/^genai-prices \S+ \(\d{4}-\d\d-\d\d\)$/),
    modelKey: "vercel/openai/gpt-5",
    ratesUsdPerMTokens: { input: 1.25, output: 10 },
    costUsd: { input: 0.025, output: 0.02, total: 0.045 },
  });
});

test("without a known price there is no cost", async () => {
  const { answer } = await ask(["It is 1."], { model: "nobody/knows" });
  expect(answer.metrics?.timing).toBeDefined();
  expect(answer.metrics?.pricing).toBeUndefined();
});

test("the cap ends an answer with what there is, before a call that would go beyond it", async () => {
  const { answer, requests } = await ask(lookAgain, { maxCostUsd: 0.04 });
  expect(requests).toBe(1);
  expect(answer.stopped).toEqual({
    reason: "max-cost",
    message: "The limit of US$ 0.04 (maxCostUsd) was reached: this is what had been read by then.",
  });
  expect(answer.text).toContain("> **Partial answer.** The limit of US$ 0.04 (maxCostUsd) was reached");
  expect(answer.metrics?.pricing?.costUsd.total).toBe(0.0225);
});

test("within the cap an answer is whole", async () => {
  const { answer } = await ask([lookAgain(), { text: "It is 1.", usage }], { maxCostUsd: 0.07 });
  expect(answer.stopped).toBeUndefined();
});

test("a cap that no price can hold is refused before anything is asked", async () => {
  await expect(ask(["It is 1."], { model: "nobody/knows", maxCostUsd: 1 })).rejects.toMatchObject({
    tag: "PriceUnknown",
    message: "no price of vercel/nobody/knows is known, so that maxCostUsd cannot hold",
  });
});
