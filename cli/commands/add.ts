import { stat } from "node:fs/promises";
import path from "node:path";
import { addResource, loadConfig } from "../../server/config/config.ts";
import { CitewellError } from "../../server/errors.ts";
import { toAbsolutePath } from "../../server/lib/absolute-path.ts";
import { normalizeGitUrl, parseReference, type Reference, suggestName } from "../../server/protocol/reference.ts";
import { ResourceSpec } from "../../server/protocol/resource.ts";
import { describeIssues, quoteValue } from "../../server/protocol/validation.ts";
import { exitCodes } from "../exit-codes.ts";
import { jsonText } from "../json.ts";
import { configLocation } from "../open-app.ts";
import type { CommonOptions } from "../program.ts";
import { type Terminal, write } from "../terminal.ts";

export interface AddOptions extends CommonOptions {
  global?: boolean;
  name?: string;
  branch?: string;
  searchPath: string[];
  notes?: string;
  type?: ResourceSpec["type"];
}

type OneOff = Extract<Reference, { type: "git" | "npm" | "local" }>;

/** Adds a resource to the project's configuration where there is one, else to the global one. */
export async function add(text: string | undefined, options: AddOptions, terminal: Terminal): Promise<number> {
  if (text === undefined) {
    throw new CitewellError("InvalidUsage", "nothing to add was given (url-or-path)", {
      hint: "citewell add https://github.com/owner/repo, citewell add ./folder or citewell add npm:<package>",
    });
  }
  const reference = await detect(text, options.type, terminal);
  const spec = parseSpec(toSpec(reference, options));
  const location = configLocation(terminal);
  const saved = await addResource(location, spec);
  if (options.json === true) await write(terminal.stdout, jsonText({ resource: spec, savedTo: saved.path }));
  else await write(terminal.stdout, `added ${spec.name} (${describe(spec)}) to ${saved.path}\n`);
  const notes = [...noteOnPage(text, options), ...(await noteOnTarget(options, terminal))];
  if (options.quiet !== true) for (const note of notes) await write(terminal.stderr, `note: ${note}\n`);
  return exitCodes.ok;
}

/** What the text names. A bare word is a folder where there is one of that name, else a package. */
async function detect(text: string, type: AddOptions["type"], { cwd, homeDirectory }: Terminal): Promise<OneOff> {
  const reference = parseReference(text);
  if (type === "local" || (type === undefined && (reference.type === "local" || (await isFolder(text, cwd))))) {
    const absolute = toAbsolutePath(text, { folder: cwd, homeDirectory });
    return { type: "local", canonical: absolute, path: absolute };
  }
  if (type === "npm" || (type === undefined && reference.type === "name")) return toPackage(reference, text);
  if (reference.type === "npm" || (reference.type === "git" && type !== undefined)) return reference;
  if (reference.type === "git") return reference;
  const reason = reference.type === "invalid" ? reference.reason : "not an HTTPS git URL";
  throw new CitewellError("InvalidUsage", `${quoteValue(text)} cannot be added: ${reason}`, {
    hint: "give an HTTPS git URL, a folder, a package name or npm:<package>; --type says which it is",
  });
}

function toPackage(reference: Reference, text: string): OneOff {
  if (reference.type === "npm") return reference;
  const parsed = parseReference(`npm:${text}`);
  if (parsed.type === "npm") return parsed;
  throw new CitewellError("InvalidUsage", `${quoteValue(text)} is not a package`, { hint: "write npm:<package>" });
}

function toSpec(reference: OneOff, options: AddOptions): unknown {
  const common = { name: options.name ?? suggestName(reference), specialNotes: options.notes };
  switch (reference.type) {
    case "git":
      return {
        ...common,
        type: "git",
        url: normalizeGitUrl(reference.url).url,
        branch: options.branch,
        searchPaths: options.searchPath.length === 0 ? undefined : options.searchPath,
      };
    case "local":
      return { ...common, type: "local", path: reference.path };
    case "npm":
      return { ...common, type: "npm", package: reference.package, version: reference.version };
  }
}

function parseSpec(spec: unknown): ResourceSpec {
  const parsed = ResourceSpec.safeParse(JSON.parse(JSON.stringify(spec)));
  if (parsed.success) return parsed.data;
  throw new CitewellError("InvalidRequest", describeIssues(parsed.error, spec), {
    hint: "citewell add --help lists the options",
  });
}

function describe(spec: ResourceSpec): string {
  switch (spec.type) {
    case "git":
      return `git ${spec.url}, ${spec.branch}`;
    case "local":
      return `folder ${spec.path}`;
    case "npm":
      return `npm ${spec.package}${spec.version ? `@${spec.version}` : ""}`;
  }
}

/** A page's URL names more than the repository; only the repository is taken, as the contract says. */
function noteOnPage(text: string, options: AddOptions): string[] {
  const reference = parseReference(text);
  if (reference.type !== "git" || options.branch !== undefined || reference.branch === undefined) return [];
  const path = reference.searchPath === undefined ? "" : ` -s ${reference.searchPath}`;
  return [
    `the URL names a page; the whole repository was added at its branch "main". To narrow: -b ${reference.branch}${path}`,
  ];
}

async function noteOnTarget(options: AddOptions, terminal: Terminal): Promise<string[]> {
  if (options.global !== true) return [];
  const { projectFile } = await loadConfig(configLocation(terminal));
  return projectFile.exists ? [`the project's configuration was written: it has precedence over the global one`] : [];
}

async function isFolder(text: string, cwd: string): Promise<boolean> {
  const found = await stat(path.resolve(cwd, text)).catch(() => undefined);
  return found?.isDirectory() ?? false;
}
