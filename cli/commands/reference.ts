import { appendFile, mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { loadConfig } from "../../server/config/config.ts";
import { gitEnvironment } from "../../server/config/environment.ts";
import { CitewellError, codeOf, messageOf } from "../../server/errors.ts";
import { parseReference, suggestName } from "../../server/protocol/reference.ts";
import { quoteValue } from "../../server/protocol/validation.ts";
import { cloneRepository, findExcludeFile } from "../../server/resources/git/git-clone.ts";
import { agentSnippet } from "../agent-settings/agent-snippet.ts";
import type { CommonOptions } from "../definitions/global-options.ts";
import { exitCodes } from "../output/exit-codes.ts";
import { jsonText } from "../output/json.ts";
import { configLocation } from "../app/open-app.ts";
import { detectStyle } from "../render/capabilities.ts";
import { createStatusLine } from "../output/status-line.ts";
import { type Terminal, write } from "../terminal.ts";

const folder = "references";

/** Clones a repository into `./references/<name>`, for people and agents to read beside their own code. */
export async function reference(text: string, options: CommonOptions, terminal: Terminal): Promise<number> {
  const { cwd, signal } = terminal;
  const { url, name } = readUrl(text);
  const directory = path.join(cwd, folder, name);
  const location = configLocation(terminal);
  const environment = gitEnvironment(location);
  const { allowHosts } = await loadConfig(location);
  await showingProgress(name, options, terminal, (onProgress) =>
    cloneRepository(url, directory, { environment, allowHosts, signal, onProgress }),
  );
  const { excludeFile, warning } = await exclude({ cwd, environment, signal });
  const snippet = snippetFor(name, url);
  if (options.quiet !== true && warning !== undefined) await write(terminal.stderr, `warning: ${warning}\n`);
  if (options.json === true) {
    await write(terminal.stdout, jsonText({ name, url, path: directory, excludeFile: excludeFile ?? null, snippet }));
    return exitCodes.ok;
  }
  await write(terminal.stdout, `cloned ${url} into ${path.join(folder, name)}\n`);
  if (excludeFile !== undefined) await write(terminal.stdout, `${folder}/ is in ${excludeFile}\n`);
  await write(terminal.stdout, `\nOptional, for AGENTS.md, CLAUDE.md or the like:\n\n${snippet}`);
  return exitCodes.ok;
}

function readUrl(text: string): { url: string; name: string } {
  const parsed = parseReference(text);
  if (parsed.type === "git") return { url: parsed.url, name: suggestName(parsed) };
  const reason = parsed.type === "invalid" ? parsed.reason : "not an HTTPS git URL";
  throw new CitewellError("InvalidUsage", `${quoteValue(text)} cannot be cloned: ${reason}`, {
    hint: "citewell reference https://github.com/owner/repo",
  });
}

async function showingProgress(
  resource: string,
  { color, quiet }: CommonOptions,
  { stderr, env, platform }: Terminal,
  work: (onProgress: Parameters<typeof cloneRepository>[2]["onProgress"]) => Promise<void>,
): Promise<void> {
  const style = detectStyle({ isTTY: stderr.isTTY, columns: stderr.columns, env, platform, flags: { color } });
  const status = createStatusLine(stderr, style);
  const show: Parameters<typeof work>[0] = (progress) => {
    if (quiet !== true) status.progress({ type: "progress", resource, ...progress });
  };
  show({ phase: "resolve", message: "cloning" });
  try {
    await work(show);
  } finally {
    status.clear();
  }
}

/** Makes git ignore the clones, without a change to files that others share. */
async function exclude({
  cwd,
  ...options
}: {
  cwd: string;
  environment: Record<string, string>;
  signal: AbortSignal;
}): Promise<{ excludeFile?: string; warning?: string }> {
  const excludeFile = await findExcludeFile(cwd, options);
  if (excludeFile === undefined)
    return { warning: `this is not a git repository, so ${folder}/ was not excluded from one` };
  try {
    const text = await readFile(excludeFile, "utf8").catch((error: unknown) => {
      if (codeOf(error) === "ENOENT") return "";
      throw error;
    });
    if (text.split(/\r?\n/).some((line) => /^\/?references\/?\s*$/.test(line))) return { excludeFile };
    await mkdir(path.dirname(excludeFile), { recursive: true });
    await appendFile(excludeFile, `${text === "" || text.endsWith("\n") ? "" : "\n"}${folder}/\n`);
    return { excludeFile };
  } catch (error) {
    return { warning: `${folder}/ could not be added to ${excludeFile}: ${messageOf(error)}` };
  }
}

function snippetFor(name: string, url: string): string {
  return `## References

\`${folder}/${name}\` is a clone of ${url}, for reading only.
Look there before you guess how it works, and name file and lines: \`citewell ask -q "…" -r ./${folder}/${name}\`.

${agentSnippet}`;
}
