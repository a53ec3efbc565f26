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
