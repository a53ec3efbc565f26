import { ErrorCode } from "@modelcontextprotocol/sdk/types.js";
import type { ErrorKind } from "../../protocol/error-tags.ts";

/**
 * An error in the protocol's own terms: code and data go to the client as they are. The SDK's McpError puts the code
 * before the message, and the SDK's client does so once more.
 */
export function refusal(code: number, message: string, data?: Readonly<Record<string, unknown>>): Error {
  return Object.assign(new Error(message), { code, ...(data === undefined ? {} : { data }) });
}

/** The code for an error of ours. */
export function codeOf(kind: ErrorKind): number {
  return kind === "bad-request" ? ErrorCode.InvalidParams : ErrorCode.InternalError;
}
