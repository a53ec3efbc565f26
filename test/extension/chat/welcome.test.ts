import { expect, test } from "vitest";
import { type Circumstances, type Facts, welcomeOf } from "../../../extension/features/chat/welcome.ts";

const demo = { name: "demo", origin: "listed", type: "git", detail: "", isOnDisk: true } as const;
const facts: Facts = {
  model: { provider: "openrouter", model: "a/b", label: "B" },
  providerName: "OpenRouter",
  isConnected: true,
  resources: [demo],
};
const fine: Circumstances = { facts, failure: undefined, isTrusted: true, isVirtual: false, lastError: undefined };
const failure = { error: "the server ended", tag: "ServerFailed" };
const timeout = { error: "no answer from the host", tag: "RepositoryTimeout" };

const check = (circumstances: Partial<Circumstances>, expected: object) =>
  expect(welcomeOf({ ...fine, ...circumstances })).toEqual(expected);

test("all is well", () => check({}, { welcome: "ready" }));
test("before the server has replied, nothing is claimed", () => check({ facts: undefined }, { welcome: "ready" }));
test("the server failed, with its reason", () =>
  check({ facts: undefined, failure }, { welcome: "server-failed", problem: failure }));
test("a configuration that cannot be read leads to the file, not to another start", () => {
  const broken = { error: "line 3 is not JSON", tag: "ConfigInvalid" };
  check({ facts: undefined, failure: broken }, { welcome: "config-invalid", problem: broken });
});
test("no resource", () => check({ facts: { ...facts, resources: [] } }, { welcome: "no-resources" }));
test("no resource, because the workspace's are not read", () =>
  check({ facts: { ...facts, resources: [] }, isTrusted: false }, { welcome: "untrusted" }));
test("resources of the user's own in a workspace that is not trusted can be asked", () =>
  check({ isTrusted: false }, { welcome: "ready" }));
test("a virtual workspace, which cannot be read", () => check({ isVirtual: true }, { welcome: "virtual" }));
test("the provider has no key", () =>
  check(
    { facts: { ...facts, isConnected: false } },
    {
      welcome: "no-key",
      problem: {
        tag: "ProviderNotConnected",
        error: "the provider OpenRouter (openrouter) is not connected",
        hint: "connect it, or choose a model that needs no key",
      },
    },
  ));
test("the network failed and nothing is on disk", () =>
  check(
    { facts: { ...facts, resources: [{ ...demo, isOnDisk: false }] }, lastError: timeout },
    { welcome: "offline", problem: timeout },
  ));
test("the network failed, but something is on disk", () => check({ lastError: timeout }, { welcome: "ready" }));
test("another failure says nothing of the network", () =>
  check(
    {
      facts: { ...facts, resources: [{ ...demo, isOnDisk: false }] },
      lastError: { error: "no", tag: "ModelNotFound" },
    },
    { welcome: "ready" },
  ));
