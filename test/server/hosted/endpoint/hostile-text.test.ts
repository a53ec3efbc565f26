import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startService, type TestService } from "../../../support/hosted.ts";
import { testEngines } from "../../../support/stores.ts";
import { type FormFields, signedIn, type Visitor } from "../../../support/visitor.ts";

const repository = "https://localhost:1/acme/lib";
const id = "00000000-0000-4000-8000-000000000000";

/** Texts that no field of a resource allows. */
const texts = [
  ["a NUL character", "a\0b"],
  ["an escape character", "a\u001b[2Jb"],
  ["an unpaired surrogate", "a\ud800b"],
  ["100,000 characters", "x".repeat(100_000)],
] as const;

const resources: Record<string, (text: string) => Record<string, unknown>> = {
  type: (type) => ({ type, name: "lib", url: repository }),
  name: (name) => ({ type: "git", name, url: repository }),
  url: (text) => ({ type: "git", name: "lib", url: `${repository}${text}` }),
  branch: (branch) => ({ type: "git", name: "lib", url: repository, branch }),
  searchPaths: (text) => ({ type: "git", name: "lib", url: repository, searchPaths: [text] }),
  specialNotes: (specialNotes) => ({ type: "git", name: "lib", url: repository, specialNotes }),
  package: (text) => ({ type: "npm", name: "lib", package: text }),
  version: (version) => ({ type: "npm", name: "lib", package: "left-pad", version }),
};

/** Forms of the pages below `/p/<project>`. */
const forms: readonly [string, (text: string) => FormFields][] = [
  ["ask", (question) => ({ question })],
  ["ask", (thread) => ({ question: "How?", thread })],
  ["ask/delete", (thread) => ({ thread })],
  ["resources", (resource) => ({ resource })],
  ["resources/remove", (name) => ({ name })],
  ["keys", (name) => ({ name, scopes: "read" })],
  ["tokens", (name) => ({ host: "github.com", name, token: "secret" })],
  ["members/invite", (role) => ({ role })],
  [`members/${id}/role`, (role) => ({ role })],
];

describe.each(testEngines())("text that cannot be stored, on $name", (engine) => {
  let service: TestService;
  let key: string;
  let owner: Visitor;
  beforeAll(async () => {
    service = await startService(await engine.createDatabase());
    key = await service.key();
    owner = await signedIn(service);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  describe.each(texts)("%s", (_, text) => {
    test.each(Object.keys(resources))("in the field %s of addResource is InvalidRequest", async (field) => {
      const { isError, content } = await service.call(key, "addResource", resources[field]?.(text));
      expect({ isError, text: content[0]?.text }).toEqual({
        isError: true,
        text: expect.stringMatching(new RegExp(`^InvalidRequest: ${field}\\b`)),
      });
    });
  });

  test.each(forms)("a NUL character in a form of /%s is refused", async (page, fields) => {
    const { status, text } = await owner.send(`/p/${service.project.name}/${page}`, fields("a\0b"));
    expect({ status, text }).toEqual({ status: 400, text: expect.stringMatching(/field .* contains a NUL character/) });
  });

  test.each(["/p/a%00b", "/p/a%00b/ask", "/link/a%00b", "/sign-in?next=%00"])("%s is refused", async (path) => {
    const { status, text } = await owner.open(path);
    expect({ status, text }).toEqual({
      status: 400,
      text: expect.stringContaining("The address contains a NUL character"),
    });
  });

  test("a form with too many fields is too large", async () => {
    const { status } = await owner.send("/sign-in", { email: Array.from({ length: 2000 }, () => "a") });
    expect(status).toBe(413);
  });

  test.each([
    ["an address that is malformed", "/hooks/%ff", {}],
    ["a body that is not compressed as it says", "/hooks/x", { "content-encoding": "gzip" }],
    ["a body that is not compressed as it says", "/api/mcp", { "content-encoding": "gzip" }],
  ])("%s is refused: %s", async (_, path, own) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", ...own };
    const response = await fetch(new URL(path, service.url), { method: "POST", headers, body: "{}" });
    expect(response.status).toBe(400);
  });
});
