import path from "node:path";
import { describe, expect, test } from "vitest";
import { type Caller, localCaller } from "../../server/caller.ts";
import { toErrorBody } from "../../server/errors.ts";
import { createLog } from "../../server/lib/log.ts";
import { createLocalApp } from "../../server/local-app.ts";
import { temporaryFolder } from "../support/folder.ts";
import { type ScriptedStep, scriptedModel } from "../support/scripted-model.ts";

const guest: Caller = { id: "guest", isLocal: false, limits: {}, logFields: {} };

test("a caller uses the operations it is allowed, and no others", async () => {
  await using world = await appWorld(["Fine."]);
  const handlers = world.app.as({ ...guest, operations: new Set(["question", "ask"]) });
  expect(await handlers.question({ question: "What is a?" })).toMatchObject({ answer: "Fine." });
  expect(await handlers.listThreads({}).catch(toErrorBody)).toEqual({
    tag: "OperationNotAllowed",
    error: 'this caller may not use the operation "listThreads"',
    hint: "allowed here: question, ask",
  });
});

test("a stream that is not allowed fails before its first event", async () => {
  await using world = await appWorld([]);
  const events = world.app.as({ ...guest, operations: new Set() }).ask({ question: "What is a?" });
  await expect(events[Symbol.asyncIterator]().next()).rejects.toMatchObject({
    tag: "OperationNotAllowed",
    kind: "forbidden",
  });
  expect(world.model.requests).toEqual([]);
});

test("a caller's limit ends a question earlier, and never later than the configuration does", async () => {
  const reads: ScriptedStep = { toolCalls: [{ name: "read", input: { path: "a.ts" } }] };
  await using world = await appWorld([reads, reads, reads, "Enough."], { maxSteps: 3 });
  const requestsWith = async (maxSteps: number) => {
    const before = world.model.requests.length;
    await world.app.as({ ...guest, limits: { maxSteps } }).question({ question: "What is a?" });
    return world.model.requests.length - before;
  };
  expect(await requestsWith(1)).toBe(1);
  expect(await requestsWith(100)).toBe(3);
});

test("the lines that are logged for a call have its caller's fields, and those of other calls do not", async () => {
  await using world = await appWorld(["Fine.", "Fine."]);
  const handlers = world.app.as({ ...guest, logFields: { requestId: "r-7" } });
  await handlers.question({ question: "What is a?" });
  const lines = world.logged();
  expect(lines).toContain("requestId=r-7");
  await world.app.question({ question: "What is a?" });
  expect(world.logged().slice(lines.length)).not.toContain("requestId");
});

describe("paths of the server's computer", () => {
  const cites = "It is 1 [[demo:a.ts#L1]].";
  const read: ScriptedStep = { toolCalls: [{ name: "read", input: { path: "a.ts" } }] };
  /** All that one caller is sent. */
  const sentTo = async (caller: Caller) => {
    await using world = await appWorld([read, cites]);
    const handlers = world.app.as(caller);
    const question = await handlers.question({ question: "What is a?", resources: ["demo"] });
    const file = await handlers.read({ resource: "demo", path: "a.ts" });
    const found = await handlers.search({ query: "const a", mode: "exact", limit: 5, resources: ["demo"] });
    const verified = await handlers.verify({ text: "See [[demo:a.ts#L1]].", resources: ["demo"] });
    const { dataDirectory } = await handlers.getConfig({});
    return { question, file, found, verified, dataDirectory, folder: world.folder };
  };

  test("are not sent to callers on other computers", async () => {
    const { folder, ...sent } = await sentTo(guest);
    expect(sent.question.answer).toContain("[a.ts:1](citewell:");
    expect(sent.question.collection).toEqual({ key: "demo", path: "" });
    expect(sent.verified.citations).toMatchObject([{ state: "verified" }]);
    expect(JSON.stringify(sent)).not.toContain(folder);
  });

  test("are sent to local callers", async () => {
    const { folder, ...sent } = await sentTo(localCaller);
    const directory = path.join(folder, "demo");
    expect(sent.question.answer).toContain("[a.ts:1](file:");
    expect(sent.question.collection.path).toContain(folder);
    expect(sent.question.snapshots).toMatchObject([{ directory }]);
    expect(sent.file.pathOnDisk).toBe(path.join(directory, "a.ts"));
    expect(sent.found.results).toMatchObject([{ pathOnDisk: path.join(directory, "a.ts") }]);
    expect(sent.verified.snapshots).toMatchObject([{ directory }]);
    expect(sent.dataDirectory).toContain(folder);
  });
});

/** An app over one folder, `demo`, and a scripted model. */
async function appWorld(steps: readonly ScriptedStep[], settings: Record<string, unknown> = {}) {
  const model = await scriptedModel(steps);
  const folder = await temporaryFolder("//- demo/a.ts\nexport const a = 1;\n");
  await folder.write(
    `//- .home/citewell.config.jsonc\n${JSON.stringify({
      ...settings,
      provider: "openai-compat",
      model: "scripted",
      providerOptions: { "openai-compat": { baseURL: model.baseURL, name: "scripted" } },
      resources: [{ type: "local", name: "demo", path: path.join(folder.path, "demo") }],
    })}`,
  );
  let logged = "";
  const app = createLocalApp({
    location: {
      cwd: folder.path,
      env: { CITEWELL_HOME: path.join(folder.path, ".home") },
      platform: process.platform,
      homeDirectory: folder.path,
    },
    log: createLog("debug", (line) => (logged += line)),
  });
  return {
    app,
    folder: folder.path,
    model,
    logged: () => logged,
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}
