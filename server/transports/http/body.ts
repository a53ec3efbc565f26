import express, { type NextFunction, type Request, type RequestHandler, type Response } from "express";
import { CitewellError } from "../../errors.ts";

/** A larger body is 413 (docs/contract.md, "Limits"). */
const bodyLimitBytes = 2 * 1024 * 1024;

const jsonTypes = ["json", "+json"];

/** Reads a JSON body into `request.body`; without one it stays undefined. Its failures go through `toRequestError`. */
export const readJson: RequestHandler[] = [
  requireJson,
  express.json({ limit: bodyLimitBytes, strict: false, type: jsonTypes }),
];

/** What an operation is given: the body; where there need not be one, the query as well. */
export function inputOf(request: Request): unknown {
  const body: unknown = request.body;
  if (request.method === "POST" || request.method === "PUT") return body ?? {};
  return typeof body === "object" && !Array.isArray(body) ? { ...request.query, ...body } : (body ?? request.query);
}

/** Whether the request asks that nothing about it is logged. */
export function isQuiet(request: Request): boolean {
  const body: unknown = request.body;
  return typeof body === "object" && body !== null && "quiet" in body && body.quiet === true;
}

/** A failure of express or its body parser to read the request, in our words; any other error as it is. */
export function toRequestError(error: unknown): unknown {
  if (!(error instanceof Error) || !("status" in error)) return error;
  if (error instanceof URIError)
    return new CitewellError("InvalidRequest", "the address is malformed", { cause: error });
  switch ("type" in error && error.type) {
    case "entity.too.large":
      return new CitewellError("RequestTooLarge", "the body is over the limit of 2 MB", { cause: error });
    case "parameters.too.many":
      return new CitewellError("RequestTooLarge", "the form has too many fields", { cause: error });
    case "entity.parse.failed":
      return new CitewellError("InvalidRequest", `the body is not JSON: ${error.message}`, { cause: error });
    case "charset.unsupported":
    case "encoding.unsupported":
      return new CitewellError("NotJson", `the body cannot be read: ${error.message}`, {
        hint: "send it as UTF-8 JSON",
        cause: error,
      });
    case "request.aborted":
      return new CitewellError("Cancelled", "the client left before its request was complete", { cause: error });
    default:
      if (!("expose" in error) || error.expose !== true) return error;
      return new CitewellError("InvalidRequest", `the request cannot be read: ${error.message}`, { cause: error });
  }
}

function requireJson(request: Request, _response: Response, next: NextFunction): void {
  const isEmpty = request.headers["content-length"] === "0" && request.headers["content-type"] === undefined;
  if (!isEmpty && request.is(jsonTypes) === false) {
    const type = request.headers["content-type"];
    throw new CitewellError(
      "NotJson",
      `the body is ${type === undefined ? "of no type" : JSON.stringify(type.slice(0, 100))}, not JSON`,
      {
        hint: "send Content-Type: application/json",
      },
    );
  }
  next();
}
