import * as z from "zod";
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathItemObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponsesObject,
} from "zod-openapi";
import { ErrorBody } from "../../protocol/error.ts";
import { type Operation, operations } from "../../protocol/operations.ts";
import { type OperationRoute, operationRoutes } from "./routes.ts";

/** The version of the HTTP interface, not of the package (docs/contract.md, "Versioning"). */
const apiVersion = "2.0.0";

/** The OpenAPI 3.1.0 description, made from the schemas that check the requests. */
export function createOpenApiDocument(): ReturnType<typeof createDocument> {
  const paths: ZodOpenApiPathsObject = { "/": { get: health }, "/openapi.json": { get: description }, "/mcp": mcp };
  for (const route of operationRoutes) paths[route.path] = { ...paths[route.path], [route.method]: describe(route) };
  const document: ZodOpenApiObject = {
    openapi: "3.1.0",
    info: {
      title: "Citewell local server",
      version: apiVersion,
      description: "Ask any codebase; every claim comes with a source you can open.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "http://127.0.0.1:8080", description: "The local server; it listens on 127.0.0.1 only." }],
    security: [],
    paths,
  };
  // An answer may have fields that a client does not know yet: new facts travel as new optional fields.
  return createDocument(document, {
    override: ({ jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
}

function describe({ name, method }: OperationRoute): ZodOpenApiOperationObject {
  const { summary, input, output, event }: Operation = operations[name];
  const takesInput = input instanceof z.ZodObject ? Object.keys(input.shape).length > 0 : true;
  const content = { "application/json": { schema: input } };
  return {
    operationId: name,
    summary,
    ...(method === "delete" && input instanceof z.ZodObject ? { requestParams: { query: input.partial() } } : {}),
    ...(method === "get" && takesInput && input instanceof z.ZodObject ? { requestParams: { query: input } } : {}),
    ...(takesInput && method !== "get" ? { requestBody: { required: method !== "delete", content } } : {}),
    responses: {
      "200": event === undefined ? json("The result.", output) : stream(event),
      ...(takesInput ? inputFailures : {}),
      ...failures,
    },
  };
}

function json(text: string, schema: z.ZodType) {
  return { description: text, content: { "application/json": { schema } } };
}

function stream(event: z.ZodType) {
  const text =
    "Server-sent events: for each one a line `event: <type>`, a line `data: <one line of JSON>` as described here, and an " +
    "empty line. `meta` comes first, exactly one of `done` and `error` last; comments keep a silent stream alive.";
  return { description: text, content: { "text/event-stream": { schema: event } } };
}

const inputFailures: ZodOpenApiResponsesObject = {
  "400": json("The input breaks a rule; the message names every field at fault.", ErrorBody),
  "413": json("The body is over 2 MB.", ErrorBody),
  "415": json("The body is not JSON.", ErrorBody),
};

const failures: ZodOpenApiResponsesObject = {
  "403": json("The Host or Origin header is not this server's own.", ErrorBody),
  default: json("Any other failure: docs/errors.md lists the tags, each with its status.", ErrorBody),
};

const health: ZodOpenApiOperationObject = {
  operationId: "health",
  summary: "Whether the server is there, and its version.",
  responses: {
    "200": json("It is there.", z.object({ ok: z.literal(true), service: z.literal("citewell"), version: z.string() })),
    ...failures,
  },
};

const description: ZodOpenApiOperationObject = {
  operationId: "openApi",
  summary: "This description.",
  responses: { "200": json("An OpenAPI 3.1.0 document.", z.record(z.string(), z.unknown())), ...failures },
};

const anyJson = z.record(z.string(), z.unknown());
const mcpText =
  "The Model Context Protocol over Streamable HTTP (https://modelcontextprotocol.io); its messages are JSON-RPC.";

/** What the messages hold is the protocol's; here is only where they go. */
const mcp: ZodOpenApiPathItemObject = {
  description: mcpText,
  post: {
    operationId: "mcpSend",
    summary: "Sends a message of the Model Context Protocol.",
    requestBody: { required: true, content: { "application/json": { schema: anyJson } } },
    responses: {
      "200": {
        description: "The answer, or a stream of it.",
        content: { "application/json": { schema: anyJson }, "text/event-stream": { schema: z.string() } },
      },
      "202": { description: "A notification or response was taken." },
      ...mcpFailures(),
    },
  },
  get: {
    operationId: "mcpListen",
    summary: "Streams the notifications of a session.",
    responses: {
      "200": { description: "Server-sent events.", content: { "text/event-stream": { schema: z.string() } } },
      ...mcpFailures(),
    },
  },
  delete: {
    operationId: "mcpEnd",
    summary: "Ends a session.",
    responses: { "200": { description: "It is over." }, ...mcpFailures() },
  },
};

function mcpFailures(): ZodOpenApiResponsesObject {
  const failure = (text: string) => ({ description: text, content: { "application/json": { schema: anyJson } } });
  return { "404": failure("The session is not known, or over."), default: failure("A JSON-RPC error.") };
}
