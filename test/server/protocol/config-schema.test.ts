import { expect, test } from "vitest";
import * as z from "zod";
import { ConfigFile } from "../../../server/protocol/config.ts";

const fromSchema = z.fromJSONSchema({ ...z.toJSONSchema(ConfigFile, { io: "input", target: "draft-7" }) });

const provider = (options: object) => ({ providerOptions: { "openai-compat": options } });

test.each([
  ["a server's address of another scheme", provider({ baseURL: "ftp://h/v1" })],
  ["an issuer that is not encrypted", provider({ oauth: { issuer: "http://login.example.com" } })],
  ["an endpoint that is not encrypted", provider({ oauth: { tokenEndpoint: "http://login.example.com/token" } })],
  ["a redirect to another computer", provider({ oauth: { redirectUri: "http://evil.example.com/callback" } })],
  ["a path with a NUL", { resources: [{ type: "local", name: "a", path: "a\0b" }] }],
])("the parser and the JSON schema refuse %s", (_, config) => {
  expect(ConfigFile.safeParse(config).success).toBe(false);
  expect(fromSchema.safeParse(config).success).toBe(false);
});

test.each([
  [
    "servers of this computer",
    provider({ baseURL: "http://localhost:1234/v1", oauth: { issuer: "http://127.0.0.1" } }),
  ],
  ["an issuer", provider({ baseURL: "HTTPS://h", oauth: { issuer: "https://login.example.com" } })],
  ["a redirect to a free port", provider({ oauth: { redirectUri: "http://localhost/callback" } })],
])("both take %s", (_, config) => {
  expect(ConfigFile.safeParse(config).error).toBeUndefined();
  expect(fromSchema.safeParse(config).error).toBeUndefined();
});
