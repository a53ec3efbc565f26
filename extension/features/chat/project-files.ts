import * as vscode from "vscode";
import type { Attachment } from "../../../server/protocol/attachment.ts";
import type { FoundFiles } from "../../../server/protocol/source.ts";
import type { Server } from "../../context.ts";
import type { ProjectFile } from "../../webview/messages.ts";
import { attachmentOf } from "./attachment.ts";

type FoundFile = FoundFiles["files"][number];

/** How many files are offered at once, and remembered. */
const offered = 12;
const rememberedLimit = 2000;

/** The files of the open projects, as far as the editor's own search shows them. */
export interface ProjectFiles {
  /** The best match first; without letters the files of open editors come first. Never rejects. */
  find(query: string): Promise<readonly ProjectFile[]>;
  /** Undefined for a file that was not found before. @throws what the editor throws for a file that is no text */
  read(file: ProjectFile): Promise<Attachment | undefined>;
  /** The files that a question names with `#`, by their path or by a name that only one has. */
  namedIn(question: string): Promise<readonly ProjectFile[]>;
}

export function createProjectFiles(server: Pick<Server, "request">): ProjectFiles {
  /** The key is resource and path: the page can only add what it was offered. */
  const known = new Map<string, string>();

  async function search(query: string, limit: number): Promise<readonly FoundFile[]> {
    const { files } = await server.request("findFiles", { query, limit, exclude: excluded() });
    for (const file of files) known.set(keyOf(file), file.pathOnDisk);
    for (const oldest of known.keys()) {
      if (known.size <= rememberedLimit) break;
      known.delete(oldest);
    }
    return files;
  }

  async function findNow(query: string): Promise<readonly ProjectFile[]> {
    try {
      const files = await search(query, query === "" ? 100 : offered);
      const open = new Set(query === "" ? openPaths() : []);
      const isOpen = ({ pathOnDisk }: FoundFile) => Number(open.has(pathOnDisk));
      return files.toSorted((a, b) => isOpen(b) - isOpen(a)).slice(0, offered);
    } catch {
      // A list while typing; the question itself shows the failure.
      return [];
    }
  }

  /** One after another, so that what was typed last is answered last. */
  let last: Promise<unknown> = Promise.resolve();

  return {
    find(query) {
      const found = last.then(() => findNow(query));
      last = found;
      return found;
    },
    async read(file) {
      const pathOnDisk = known.get(keyOf(file));
      if (pathOnDisk === undefined) return undefined;
      return attachmentOf(await vscode.workspace.openTextDocument(vscode.Uri.file(pathOnDisk)), undefined);
    },
    async namedIn(question) {
      const words = [...question.matchAll(/(?<=^|[\s(])#([^\s#]{3,200})/g)].map(([, word = ""]) =>
        word.replace(/[.,;:!?)]+$/, ""),
      );
      const found = await Promise.all(
        [...new Set(words)].map(async (word) => {
          const files = await search(word, offered).catch(() => []);
          const whole = files.filter(({ path }) => path === word);
          const named = files.filter(({ path }) => path.endsWith(`/${word}`));
          return whole.length > 0 ? whole : named.length === 1 ? named : [];
        }),
      );
      return found.flat();
    },
  };
}

function keyOf({ resource, path }: ProjectFile): string {
  return JSON.stringify([resource, path]);
}

/** The globs that hide files from the editor's own search. One with a condition (`when`) is not a glob alone. */
function excluded(): string[] {
  const patterns = ["files.exclude", "search.exclude"].flatMap((name) =>
    Object.entries(vscode.workspace.getConfiguration().get<Record<string, unknown>>(name, {})),
  );
  return [...new Set(patterns.flatMap(([pattern, isOn]) => (isOn === true ? [pattern] : [])))];
}

function openPaths(): string[] {
  return vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .flatMap(({ input }) => (input instanceof vscode.TabInputText ? [input.uri.fsPath] : []));
}
