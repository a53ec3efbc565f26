import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import { CitewellError, messageOf } from "../../server/errors.ts";
import { isProved } from "../../server/protocol/citation.ts";
import { verifiedLength, type VerifyReply } from "../../server/protocol/verify.ts";
import { callOperation } from "../../server/transports/call-operation.ts";
import type { CommonOptions } from "../definitions/global-options.ts";
import { exitCodes } from "../exit-codes.ts";
import { jsonText } from "../json.ts";
import { openApp, openLog } from "../open-app.ts";
import { toAbsoluteReference } from "../references.ts";
import { detectStyle } from "../render/capabilities.ts";
import { renderVerified } from "../render/verified.ts";
import { readStandardInput } from "../standard-input.ts";
import { type Terminal, write } from "../terminal.ts";
import { tellUnavailable } from "../unavailable.ts";

export interface VerifyOptions extends CommonOptions {
  resource: string[];
}

/** Reports how the citations of a text stand; the text is not changed. None of them is exit code 3. */
export async function verify(file: string, options: VerifyOptions, terminal: Terminal): Promise<number> {
  const { signal, stdout, env, platform } = terminal;
  const text = await readInput(file, terminal);
  const resources = options.resource.map((name) => toAbsoluteReference(name, terminal));
  await using app = openApp(terminal, { log: openLog(terminal, options), quiet: options.quiet });
  const place = file === "-" ? {} : { file: path.resolve(terminal.cwd, file) };
  const reply = await callOperation(app, "verify", { text, resources, ...place }, { signal });
  const flags = { color: options.color };
  const style = detectStyle({ isTTY: stdout.isTTY, columns: stdout.columns, env, platform, flags });
  const shown = file === "-" ? "" : `${file}:`;
  await write(stdout, options.json === true ? jsonText(reply) : renderVerified(reply, { file: shown, style }));
  if (options.quiet !== true && options.json !== true) await tellUnavailable(reply.unavailable, terminal.stderr);
  return exitCodeFor(reply);
}

function exitCodeFor({ citations }: VerifyReply): number {
  if (citations.length === 0) return exitCodes.notFound;
  return citations.every(isProved) ? exitCodes.ok : exitCodes.citationsFailed;
}

/** A file, a pipe by its path (as a shell makes one of `<(…)`), or standard input. */
async function readInput(file: string, terminal: Terminal): Promise<string> {
  if (file === "-") return readWithin(readStandardInput(terminal), "standard input");
  const target = path.resolve(terminal.cwd, file);
  try {
    const stats = await stat(target);
    if (stats.isFile() || stats.isFIFO()) return await readWithin(createReadStream(target, "utf8"), file);
  } catch (cause) {
    if (cause instanceof CitewellError) throw cause;
    throw new CitewellError("FileNotReadable", `${file} could not be read: ${messageOf(cause)}`, {
      hint: howToName,
      cause,
    });
  }
  throw new CitewellError("FileNotReadable", `${file} is not a regular file`, { hint: howToName });
}

const howToName = "give a Markdown file, or - for standard input";

/** As much as the operation takes, and no more of what may never end. @throws RequestTooLarge */
async function readWithin(chunks: AsyncIterable<unknown>, name: string): Promise<string> {
  let text = "";
  for await (const chunk of chunks) {
    text += String(chunk);
    if (text.length > verifiedLength) {
      throw new CitewellError("RequestTooLarge", `${name} is over the limit of ${verifiedLength} characters`, {
        hint: "verify it in parts",
      });
    }
  }
  return text;
}
