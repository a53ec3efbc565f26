import { describe, expect, test } from "vitest";
import { AskEvent } from "../../../../server/protocol/ask.ts";
import { createOpenApiDocument } from "../../../../server/transports/http/openapi.ts";
import { operationRoutes } from "../../../../server/transports/http/routes.ts";

const document = createOpenApiDocument();

describe("the OpenAPI description", () => {
  test("has a path and method for every operation, and those of the server's own", () => {
    const described = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method} ${path}`),
    );
    const expected = operationRoutes.map(({ method, path }) => `${method} ${path}`);
    const own = described.filter((call) => call.endsWith(" /mcp"));
    expect(own).toContain("post /mcp");
    expect(described.toSorted()).toEqual(["get /", "get /openapi.json", ...own, ...expected].toSorted());
  });

  test("describes the body of a question with its limits", () => {
    expect(document.paths?.["/question/stream"]?.post?.requestBody).toMatchObject({
      required: true,
      content: { "application/json": { schema: { $ref: "#/components/schemas/AskRequest" } } },
    });
    expect(document.components?.schemas?.["AskRequest"]).toMatchObject({
      required: ["question"],
      properties: { question: { maxLength: 100_000 }, resources: { maxItems: 20 } },
    });
  });

  test("describes the stream by its events, every one of them", () => {
    expect(document.paths?.["/question/stream"]?.post?.responses?.["200"]).toMatchObject({
      description: expect.stringContaining("`event: <type>`"),
      content: { "text/event-stream": { schema: { $ref: "#/components/schemas/AskEvent" } } },
    });
    expect(document.components?.schemas?.["AskEvent"]).toMatchObject({
      oneOf: AskEvent.options.map(() => ({ type: "object" })),
    });
  });

  test("describes failures as the error object, on every route", () => {
    // Failures of `/mcp` are the protocol's own.
    for (const [path, item] of Object.entries(document.paths ?? {})) {
      if (path === "/mcp") continue;
      for (const { responses } of [item.get, item.post, item.put, item.delete].filter((found) => found !== undefined)) {
        expect(responses?.["default"]).toMatchObject({
          content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
        });
      }
    }
  });

  test("takes the name to remove from the query, too", () => {
    expect(document.paths?.["/config/resources"]?.delete?.parameters).toMatchObject([{ in: "query", name: "name" }]);
  });

  test("lets answers have fields that a client does not know yet", () => {
    expect(JSON.stringify(document)).not.toContain('"additionalProperties":false');
  });
});
