import { expect, test } from "vitest";
import type { Account, ProviderSettings } from "../../../server/providers/definition.ts";
import { openaiCompat } from "../../../server/providers/openai-compat.ts";
import { createSharedModels } from "../../../server/providers/shared-models.ts";

const ref = { provider: "openai-compat", model: "m" };
const usual: ProviderSettings = {
  fetch,
  account: { type: "key", key: "one" },
  baseURL: "https://models.example/v1",
  name: "models",
  editorModels: undefined,
};

function openWith(share: ReturnType<typeof createSharedModels>, changed: Partial<ProviderSettings> = {}, model = "m") {
  const settings = { ...usual, ...changed };
  return share({ ...ref, model }, settings, () => openaiCompat.openModel(model, settings));
}

const signIn: Account = { type: "signed-in", signIn: { type: "oauth", access: "a", refresh: "r", expires: 0 } };

test("questions with the same settings share a model", async () => {
  const share = createSharedModels();
  expect(await openWith(share)).toBe(await openWith(share));
});

test.each<[string, Partial<ProviderSettings>]>([
  ["key", { account: { type: "key", key: "two" } }],
  ["server", { baseURL: "https://other.example/v1" }],
  ["way to fetch", { fetch: (...request) => fetch(...request) }],
  ["account: none", { account: { type: "none" } }],
])("another %s has a model of its own", async (_what, changed) => {
  const share = createSharedModels();
  const first = await openWith(share);
  expect(await openWith(share, changed)).not.toBe(first);
});

test("the models of a sign-in are not shared", async () => {
  const share = createSharedModels();
  expect(await openWith(share, { account: signIn })).not.toBe(await openWith(share, { account: signIn }));
});

test("the models that were not used for longest are opened again", async () => {
  const share = createSharedModels({ limit: 2 });
  const [first, second] = [await openWith(share, {}, "a"), await openWith(share, {}, "b")];
  expect(await openWith(share, {}, "a")).toBe(first);
  await openWith(share, {}, "c");
  expect(await openWith(share, {}, "a")).toBe(first);
  expect(await openWith(share, {}, "b")).not.toBe(second);
});
