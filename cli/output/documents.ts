import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import picomatch from "picomatch";
import { CitewellError, messageOf } from "../../server/errors.ts";
import { verifiedLength } from "../../server/protocol/verify.ts";
import { readStandardInput } from "../input/standard-input.ts";
import type { Terminal } from "../terminal.ts";

/**
 * The documents that the arguments name, once each: files, `-` and patterns, which a shell may have left as they are.
 * `node_modules` and folders with a leading dot are skipped unless a pattern names them.
 * @throws InvalidUsage (a pattern that matches no file)
 */
export async function findDocuments(names: readonly string[], { cwd }: Pick<Terminal, "cwd">): Promise<string[]> {
  const found = new Set<string>();
  for (const name of names) for (const file of await expand(name, cwd)) found.add(file);
  return [...found];
}

async function expand(name: string, cwd: string): Promise<string[]> {
  const { isGlob, base, glob } = picomatch.scan(name);
  if (name === "-" || !isGlob || (await exists(path.resolve(cwd, name)))) return [name];
  const matches = picomatch(glob);
  const parts = new Set(glob.split("/"));
  const files = await filesBelow(path.resolve(cwd, base), "", parts);
  const found = files.filter((file) => matches(file)).map((file) => (base === "" ? file : path.posix.join(base, file)));
  if (found.length > 0) return found.toSorted();
  throw new CitewellError("InvalidUsage", `${name} matches no file`, {
    hint: "put patterns in quotes: 'docs/**/*.md'",
  });
}

async function filesBelow(folder: string, below: string, named: ReadonlySet<string>): Promise<string[]> {
  const entries = await readdir(path.join(folder, below), { withFileTypes: true }).catch(() => []);
  const files: string[] = [];
  for (const entry of entries) {
    const file = below === "" ? entry.name : `${below}/${entry.name}`;
    const isHidden = entry.name === "node_modules" || entry.name.startsWith(".");
    if (entry.isFile()) files.push(file);
    else if (entry.isDirectory() && (!isHidden || named.has(entry.name)))
      files.push(...(await filesBelow(folder, file, named)));
  }
  return files;
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

/** A file, a pipe by its path (as a shell makes one of `<(…)`), or standard input. */
export async function readDocument(file: string, terminal: Terminal): Promise<string> {
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
