import path from "node:path";
import { version } from "../../package.json";
import type { App } from "../../server/app.ts";
import { isProved } from "../../server/protocol/citation.ts";
import { callOperation } from "../../server/transports/call-operation.ts";
import type { CommonOptions } from "../definitions/global-options.ts";
import { findDocuments, readDocument } from "../output/documents.ts";
import { exitCodes } from "../output/exit-codes.ts";
import { jsonText, requireOneFormat } from "../output/json.ts";
import { openApp, openLog } from "../app/open-app.ts";
import { wordingOf } from "../input/option-names.ts";
import { toAbsoluteReference } from "../input/references.ts";
import { detectStyle } from "../render/capabilities.ts";
import { renderVerified, type VerifiedFile } from "../render/verified.ts";
import { renderGithub, renderGitlab, renderVerifiedSarif } from "../render/verify-reports.ts";
import { type Terminal, write } from "../terminal.ts";
import { reportUnavailable } from "../output/unavailable.ts";
import type { VerifyFormat } from "../output/report-formats.ts";

/** Options of `citewell verify`. */
export interface VerifyOptions extends CommonOptions {
  resource: string[];
  format: VerifyFormat;
  allowEmpty?: boolean;
}

/** Reports the citations and relative links of documents, which are not changed. Without any it is exit code 3. */
export async function verify(names: readonly string[], options: VerifyOptions, terminal: Terminal): Promise<number> {
  requireOneFormat(options);
  const documents = await findDocuments(names, terminal);
  await using app = openApp(terminal, { log: openLog(terminal, options), quiet: options.quiet, keepsOpened: true });
  const files: VerifiedFile[] = [];
  for (const file of documents) files.push({ file, reply: await verifyDocument(file, { app, options, terminal }) });
  await write(terminal.stdout, toText(files, options, terminal));
  const unavailable = files.flatMap(({ reply }) => reply.unavailable ?? []);
  const byName = new Map(unavailable.map((failure) => [failure.resource, failure]));
  if (options.quiet !== true && options.json !== true) await reportUnavailable([...byName.values()], terminal.stderr);
  return exitCodeFor(files, options);
}

async function verifyDocument(
  file: string,
  { app, options, terminal }: { app: App; options: VerifyOptions; terminal: Terminal },
) {
  const text = await readDocument(file, terminal);
  const resources = options.resource.map((name) => toAbsoluteReference(name, terminal));
  const place = file === "-" ? {} : { file: path.resolve(terminal.cwd, file) };
  return callOperation(app, "verify", { text, resources, ...place }, { signal: terminal.signal }, wordingOf("verify"));
}

function toText(
  files: readonly VerifiedFile[],
  { json, format, color }: VerifyOptions,
  { stdout, env, platform }: Terminal,
): string {
  const [first, second] = files;
  if (json === true && first !== undefined) {
    if (second === undefined) return jsonText(first.reply);
    return jsonText({ files: files.map(({ file, reply }) => ({ file, ...reply })) });
  }
  switch (format) {
    case "github":
      return renderGithub(files);
    case "gitlab":
      return renderGitlab(files);
    case "sarif":
      return renderVerifiedSarif(files, { version });
    case "text": {
      const flags = { color };
      return renderVerified(files, detectStyle({ isTTY: stdout.isTTY, columns: stdout.columns, env, platform, flags }));
    }
  }
}

function exitCodeFor(files: readonly VerifiedFile[], { allowEmpty }: VerifyOptions): number {
  const citations = files.flatMap(({ reply }) => reply.citations);
  const links = files.flatMap(({ reply }) => reply.links ?? []);
  if (citations.length + links.length === 0) return allowEmpty === true ? exitCodes.ok : exitCodes.notFound;
  const unproved = citations.filter((citation) => !isProved(citation));
  const isWrong = unproved.some(({ state }) => state !== "not-read") || links.some(({ state }) => state === "missing");
  if (isWrong) return exitCodes.citationsFailed;
  // What cannot be looked at does not hold, and is no fault of the document either.
  const isOpen = unproved.length > 0 || links.some(({ state }) => state === "not-checked");
  return isOpen ? exitCodes.resource : exitCodes.ok;
}
