import * as vscode from "vscode";
import type { SourceFile } from "../../../server/protocol/source.ts";
import type { Server } from "../../context.ts";
import { type CitedFile, fromUriParts, toUriParts } from "./uris.ts";

/** Files of resources at their revisions. A revision does not change, so what was read is kept, within limits. */
export interface Texts {
  /** @throws ServerError */
  read(file: CitedFile): Promise<SourceFile>;
  /** Asks the server in any case: whether the file has changed on disk since, it alone knows. @throws ServerError */
  readAnew(file: CitedFile): Promise<SourceFile>;
}

/** The length of all kept texts, in UTF-16 units. */
const lengthLimit = 8_000_000;

export function createTexts(server: Server): Texts {
  const reading = new Map<string, Promise<SourceFile>>();
  const known = new Map<string, SourceFile>();

  async function readAnew({ resource, path, revision }: CitedFile): Promise<SourceFile> {
    const file = await server.request("read", { resource, path, revision });
    keep(JSON.stringify([resource, path, file.revision]), file);
    return file;
  }

  function keep(key: string, file: SourceFile): void {
    known.delete(key);
    known.set(key, file);
    let length = [...known.values()].reduce((sum, { text }) => sum + text.length, 0);
    for (const [oldest, { text }] of known) {
      if (length <= lengthLimit) return;
      known.delete(oldest);
      length -= text.length;
    }
  }

  return {
    readAnew,
    async read(file) {
      const key = JSON.stringify([file.resource, file.path, file.revision]);
      const before = known.get(key);
      if (before !== undefined) return before;
      const started = reading.get(key) ?? readAnew(file).finally(() => reading.delete(key));
      reading.set(key, started);
      return started;
    },
  };
}

/** The URI scheme of cited files. */
export const scheme = "citewell";

/** The URI of a cited file at its revision. */
export function toUri(file: CitedFile): vscode.Uri {
  return vscode.Uri.from(toUriParts(file));
}

/** The file that a document of ours shows; undefined for other documents. */
export function fileOf(uri: vscode.Uri): CitedFile | undefined {
  return uri.scheme === scheme ? fromUriParts(uri) : undefined;
}
