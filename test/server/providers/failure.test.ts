import { APICallError } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { callFailure } from "../../../server/providers/failure.ts";

test.each([
  ["anthropic", "check the network connection and the proxy"],
  ["openai-compat", "check that it runs, and its baseURL and proxy"],
])("without a network, a question to %s names the host, not the system call", (provider, hint) => {
  const cause = Object.assign(new Error("getaddrinfo ENOTFOUND api.host.test"), { code: "ENOTFOUND" });
  const error = new APICallError({ message: "failed", url: "https://api.host.test/v1", requestBodyValues: {}, cause });
  expect(callFailure(error, { ref: { provider, model: "m" }, key: undefined })).toMatchObject({
    tag: "ProviderFailed",
    message: `cannot reach ${provider}/m at api.host.test: no such host`,
    hint: `${hint}; to ask without a model: citewell ask --provider builtin`,
  });
});

test("users of a service see neither the host of the model server nor its address", () => {
  const cause = Object.assign(new Error("connect ECONNREFUSED 10.0.0.5:8000"), {
    code: "ECONNREFUSED",
    syscall: "connect",
  });
  const error = new APICallError({ message: "failed", url: "http://llm.corp:8000/v1", requestBodyValues: {}, cause });
  const caller = { ref: { provider: "openai-compat", model: "m" }, key: undefined, hidesHost: true };
  expect(callFailure(error, caller)).toMatchObject({
    message: "cannot reach openai-compat/m: connect ECONNREFUSED",
  });
});
