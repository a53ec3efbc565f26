import { toErrorBody } from "../../server/errors.ts";
import { jsonText } from "./json.ts";

/** An error as a line of `--jsonl`: the `error` event of the stream, also where no other event came before. */
export function errorLine(error: unknown): string {
  const { error: message, ...rest } = toErrorBody(error);
  return jsonText({ type: "error", message, ...rest }, { isLine: true });
}
