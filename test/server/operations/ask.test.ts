import path from "node:path";
import { expect, test } from "vitest";
import { type AskEvent, type AskRequest, emptyAnswer, foldAnswer } from "../../../server/protocol/ask.ts";
import { localApp } from "../../support/connect.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { scriptedModel, type ScriptedStep } from "../../support/scripted-model.ts";

const files = "//- demo/a.ts\nexport const delayMs = 100;\n//- other/b.ts\nexport const b = 1;\n";

test("what the question did not name and does not open is left out, and said", async () => {
  await using world = await askWorld(["Fine."], { resources: { demo: "demo", gone: "gone" } });
  const answer = await world.ask({ question: "Why?" });
  expect(answer.resources).toEqual(["demo"]);
  expect(answer.unavailable).toMatchObject([{ resource: "gone", tag: "PathNotFound" }]);
});

test("what the question names must open", async () => {
  await using world = await askWorld(["Fine."], { resources: { demo: "demo", gone: "gone" } });
  await expect(world.ask({ question: "Why?", resources: ["demo", "gone"] })).rejects.toMatchObject({
    tag: "PathNotFound",
  });
  expect(world.model.requests).toEqual([]);
});

test("where nothing opens, the first fault is the question's", async () => {
  await using world = await askWorld(["Fine."], { resources: { gone: "gone" } });
  await expect(world.ask({ question: "Why?" })).rejects.toMatchObject({ tag: "PathNotFound" });
});

test("with nothing configured and nothing named, it says what to do", async () => {
  await using world = await askWorld(["Fine."], { resources: {} });
  await expect(world.ask({ question: "Why?" })).rejects.toMatchObject({
    tag: "ResourceNotFound",
    hint: expect.stringContaining("citewell add"),
  });
});

test("a resource that is named twice is asked once", async () => {
  await using world = await askWorld(["Fine."], { resources: { demo: "demo" } });
  const answer = await world.ask({
    question: "Why?",
    resources: ["demo", "demo", "./other", path.join(world.folder, "other")],
  });
  expect(answer.resources).toEqual(["demo", path.join(world.folder, "other")]);
  expect(answer.collection.key).toBe(answer.resources.toSorted().join("+"));
});

test("leaving the stream closes the connection to the provider", async () => {
  await using world = await askWorld([{ text: "Fine", hang: true }], { resources: { demo: "demo" } });
  for await (const event of world.events({ question: "Why?" })) if (event.type === "text.delta") break;
  const request = await world.model.request(0);
  await expect(request.closed).resolves.toBeUndefined();
});

test("text that was held back when the model broke off is not lost", async () => {
  await using world = await askWorld([{ text: ["See [[demo:a.ts"], closeAfter: 1 }], { resources: { demo: "demo" } });
  let text = "";
  const asking = (async () => {
    for await (const event of world.events({ question: "Why?" })) if (event.type === "text.delta") text += event.delta;
  })();
  await expect(asking).rejects.toMatchObject({ tag: "ProviderFailed" });
  expect(text).toBe("See [[demo:a.ts");
});

test("ranges of citations hold in the stream as in the final text, which a note of its limit ends", async () => {
  const text = ["A [[demo:a.ts#L1]] and ", "`[[demo:a.", "ts#L9]]`, [[demo:none.ts#L1]]"];
  await using world = await askWorld([{ text, finishReason: "length" }], { resources: { demo: "demo" } });
  let streamed = emptyAnswer;
  let done = emptyAnswer;
  for await (const event of world.events({ question: "Why?" })) {
    if (event.type === "done") done = foldAnswer(streamed, event);
    else streamed = foldAnswer(streamed, event);
  }
  expect(done.text).toBe(streamed.text);
  expect(done.text).toContain("**Partial answer.**");
  expect(done.citations).toEqual(streamed.citations);
  const pieces = done.citations.map(({ textRange }) => done.text.slice(textRange?.start, textRange?.end));
  expect(pieces).toEqual([
    expect.stringMatching(/^\[a\.ts:1\]\(file:[^)]+\) \(not read in this run\)$/),
    "a.ts:9 (out of range: the file has 1 line)",
    "none.ts:1 (missing: no such file)",
  ]);
});

test("a change of the configuration counts for the next question, in the same process", async () => {
  await using world = await askWorld(["One.", "Two."], { resources: { demo: "demo" } });
  expect((await world.ask({ question: "Why?" })).resources).toEqual(["demo"]);
  await world.configure({ resources: { other: "other" } });
  expect((await world.ask({ question: "Why?" })).resources).toEqual(["other"]);
});

test("a project's address never gets the key from the environment", async () => {
  await using world = await askWorld(["Fine."], {
    resources: { demo: "demo" },
    env: { OPENAI_COMPAT_API_KEY: "s3cret" },
  });
  await world.write(
    `//- citewell.config.jsonc\n{ "providerOptions": { "openai-compat": { "baseURL": "http://127.0.0.1:9/v1", "name": "x" } } }`,
  );
  const answer = await world.ask({ question: "Why?", resources: ["demo"] });
  expect(answer.text).toBe("Fine.");
  expect(world.model.requests[0]?.headers.authorization).toBe("Bearer s3cret");
});

interface Setup {
  /** Names and folders. */
  resources: Record<string, string>;
  env?: Record<string, string>;
}

async function askWorld(script: readonly ScriptedStep[], setup: Setup) {
  const folder = await temporaryFolder(files);
  const model = await scriptedModel(script);
  const app = localApp(folder.path, setup.env);
  const configure = async ({ resources }: Setup) => {
    const specs = Object.entries(resources).map(([name, below]) => {
      return { type: "local", name, path: path.join(folder.path, below) };
    });
    await folder.write(`//- .home/citewell.config.jsonc\n${JSON.stringify({ ...model.config, resources: specs })}`);
  };
  await configure(setup);
  return {
    folder: folder.path,
    model,
    configure,
    write: (source: string) => folder.write(source),
    events: (request: AskRequest): AsyncIterable<AskEvent> => app.ask(request),
    async ask(request: AskRequest) {
      let answer = emptyAnswer;
      for await (const event of app.ask(request)) answer = foldAnswer(answer, event);
      return answer;
    },
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
