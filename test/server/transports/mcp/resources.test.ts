import { ResourceListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, test } from "vitest";
import { CitewellError } from "../../../../server/errors.ts";
import type { Handlers } from "../../../../server/protocol/operations.ts";
import type { ResourceListing } from "../../../../server/protocol/resource.ts";
import { startMcp } from "../../../support/mcp.ts";

function listing(name: string): ResourceListing {
  const none = { url: null, branch: null, searchPath: null, searchPaths: null, path: null, version: null };
  const unknown = { specialNotes: null, refresh: null, fetchedAt: null, sizeBytes: null, fileCount: null };
  return {
    type: "npm",
    origin: "listed",
    name,
    package: name,
    state: "ready",
    revision: "1.0.0",
    failure: null,
    ...none,
    ...unknown,
  };
}

function handlers(names: readonly string[]): Partial<Handlers> {
  return {
    listResources: async () => ({ resources: names.map(listing) }),
    listFiles: async ({ path }) => ({
      resource: "demo",
      revision: "r",
      entries:
        path === "src"
          ? [{ name: "a.ts", type: "file", sizeBytes: 1 }]
          : [
              { name: "src", type: "folder", sizeBytes: null },
              { name: "README.md", type: "file", sizeBytes: 1 },
            ],
    }),
    read: async ({ resource = "", path, revision = "r", startLine = 1, endLine = 2 }) => {
      if (path === "gone.ts") throw new CitewellError("FileNotFound", "no gone.ts", { hint: "list the folder" });
      const text = `${path}@${revision}#${startLine}-${endLine}`;
      return { resource, path, revision, text, startLine, endLine, totalLines: 2 };
    },
  };
}

describe("resources", () => {
  test("are the configured ones, in pages", async () => {
    const names = Array.from({ length: 130 }, (_, index) => `r${index}`);
    await using mcp = await startMcp(handlers(names));
    const first = await mcp.client.listResources();
    expect(first.resources[0]).toEqual({
      uri: "citewell:/r0/",
      name: "r0",
      description: "npm r0, 1.0.0",
      mimeType: "text/plain",
    });
    const second = await mcp.client.listResources({ cursor: first.nextCursor });
    expect([...first.resources, ...second.resources].map(({ name }) => name)).toEqual(names);
    expect(second.nextCursor).toBeUndefined();
    await expect(mcp.client.listResources({ cursor: "x" })).rejects.toMatchObject({ code: -32_602 });
  });

  test("are described in the words of the tool that lists them", async () => {
    const states: Partial<ResourceListing>[] = [
      { state: "absent", revision: null },
      { state: "failed", revision: null, failure: "no network" },
      { specialNotes: "Ours." },
    ];
    const resources = states.map((state, index) => ({ ...listing(`r${index}`), ...state }));
    await using mcp = await startMcp({ listResources: async () => ({ resources }) });
    const listed = await mcp.client.listResources();
    expect(listed.resources.map(({ name, description }) => `${name}: ${description}`)).toEqual(
      (await mcp.call("listResources")).text.split("\n"),
    );
    expect(listed.resources[0]?.description).toBe("npm r0, fetched when it is asked");
  });

  test.each([
    ["citewell:/demo/", "src/\nREADME.md"],
    ["citewell:/demo", "src/\nREADME.md"],
    ["citewell:/demo/src/", "a.ts"],
    ["citewell:/demo/src/a.ts", "src/a.ts@r#1-2"],
    ["citewell:/demo?revision=1a2b3c4", "@1a2b3c4#1-2"],
    ["citewell:/npm%3Ademo/a%20b.ts?revision=1.0%2Bx#L5-L7", "a b.ts@1.0+x#5-7"],
  ])("%s is read", async (uri, expected) => {
    await using mcp = await startMcp(handlers(["demo"]));
    expect(await mcp.client.readResource({ uri })).toEqual({
      contents: [{ uri, mimeType: "text/plain", text: expected }],
    });
  });

  test.each([
    "citewell:/demo/gone.ts",
    "https://example.com/",
    "citewell:",
    "citewell:/demo/a.ts#M7",
    "citewell:/%zz/a",
  ])("%s is not there, with what to do", async (uri) => {
    await using mcp = await startMcp(handlers(["demo"]));
    await expect(mcp.client.readResource({ uri })).rejects.toMatchObject({
      code: -32_002,
      data: { uri, hint: expect.any(String) },
    });
  });

  test("have a template, and names that are completed", async () => {
    await using mcp = await startMcp(handlers(["demo", "delta", "other"]));
    const { resourceTemplates } = await mcp.client.listResourceTemplates();
    const uri = resourceTemplates[0]?.uriTemplate ?? "";
    const ref = { type: "ref/resource" as const, uri };
    const complete = async (name: string, value: string, given: Record<string, string> = {}) =>
      (await mcp.client.complete({ ref, argument: { name, value }, context: { arguments: given } })).completion.values;
    expect(await complete("resource", "DE")).toEqual(["demo", "delta"]);
    expect(await complete("path", "s", { resource: "demo" })).toEqual(["src/"]);
    expect(await complete("path", "src/", { resource: "demo" })).toEqual(["src/a.ts"]);
    expect(await complete("path", "s", { resource: "nobody" })).toEqual([]);
    expect(await complete("revision", "1")).toEqual([]);
  });

  test("are announced as changed when the configuration has", async () => {
    let change = () => {};
    let isWatched = false;
    const mcp = await startMcp(handlers(["demo"]), {
      watchResources(onChange) {
        change = onChange;
        isWatched = true;
        return { [Symbol.dispose]: () => void (isWatched = false) };
      },
    });
    const told = new Promise((resolve) => {
      mcp.client.setNotificationHandler(ResourceListChangedNotificationSchema, resolve);
    });
    await mcp.client.ping();
    change();
    await told;
    await mcp[Symbol.asyncDispose]();
    expect(isWatched).toBe(false);
  });
});

describe("prompts", () => {
  test("are listed, and say which tool and how to cite", async () => {
    await using mcp = await startMcp({});
    const { prompts } = await mcp.client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(["ask", "explain-dependency", "upgrade"]);
    for (const [written, reference] of [
      ["zod", "npm:zod"],
      ["npm:zod@4", "npm:zod@4"],
      ["@scope/name", "npm:@scope/name"],
      ["pypi:requests", "pypi:requests"],
      ["java:java.util.List", "java:java.util.List"],
    ] as const) {
      const { messages } = await mcp.client.getPrompt({ name: "explain-dependency", arguments: { package: written } });
      expect(messages).toMatchObject([{ content: { text: expect.stringContaining(`resources ["${reference}"] to`) } }]);
      expect(JSON.stringify(messages)).toContain("Keep the citations");
    }
    await expect(mcp.client.getPrompt({ name: "ask" })).rejects.toThrow('needs the argument "question"');
    await expect(mcp.client.getPrompt({ name: "x" })).rejects.toThrow("there are ask");
  });

  test("that of an upgrade has the report, with the markers to cite by", async () => {
    const asked: unknown[] = [];
    const upgrade: Handlers["upgrade"] = async (request) => {
      asked.push(request);
      if (request.package === "none") {
        throw new CitewellError("ResourceNotFound", 'the project does not depend on "none"', { hint: "name another" });
      }
      const place = { path: "a.ts", startLine: 3, endLine: 3, text: "  gone();" };
      return {
        type: "npm",
        package: "tiny",
        from: { resource: "npm:tiny@1.0.0", version: "1.0.0", label: "" },
        to: { resource: "npm:tiny@2.0.0", version: "2.0.0", label: "" },
        findings: [
          {
            name: "gone",
            change: "removed",
            certainty: "certain",
            uses: [{ resource: "shop", ...place }],
            useCount: 1,
            before: { resource: "npm:tiny@1.0.0", ...place, text: "export function gone(): void;" },
            notes: [],
          },
        ],
        total: 1,
        usedNames: 1,
        files: 1,
        sections: [],
        notes: ["computed names"],
      };
    };
    await using mcp = await startMcp({ upgrade });
    const get = (given: Record<string, string>) => mcp.client.getPrompt({ name: "upgrade", arguments: given });
    const { messages } = await get({ package: "tiny", to: "2" });
    expect(messages).toMatchObject([{ role: "user", content: { text: expect.stringContaining("the tool verify") } }]);
    expect(JSON.parse(JSON.stringify(messages))[0].content.text.split("\n\n").slice(1)).toEqual([
      "tiny 1.0.0 → 2.0.0: 1 finding, 1 of them certain, for 1 name in 1 file that use it.",
      "gone: removed, certain\n" +
        "  yours [[shop:a.ts#L3]] | gone();\n" +
        "  before [[npm:tiny@1.0.0:a.ts#L3]] | export function gone(): void;",
      "Note: not seen: computed names.",
    ]);
    await get({ package: "tiny", to: " " });
    expect(asked).toMatchObject([{ package: "tiny", to: "2" }, { package: "tiny" }]);
    expect(asked[1]).not.toHaveProperty("to");
    await expect(get({ package: "none" })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('the project does not depend on "none": name a package as npm:'),
    });
    const called = await mcp.client.callTool({ name: "upgrade", arguments: { package: "tiny" } });
    expect(JSON.stringify(called.content)).toContain("gone: removed, certain");
  });
});
