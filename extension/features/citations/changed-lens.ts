import path from "node:path";
import * as vscode from "vscode";
import { isDirty } from "./open.ts";
import type { Marks } from "./marks.ts";
import { fileOf, scheme, type Texts } from "./texts.ts";

/** Above the cited lines of a file that lies in a folder and is another by now: that it is, and the ways to see how. */
export function registerChangedLens({ texts, marks }: { texts: Texts; marks: Marks }): vscode.Disposable {
  const lenses = vscode.languages.registerCodeLensProvider(
    { scheme },
    {
      onDidChangeCodeLenses: marks.onDidChange,
      async provideCodeLenses({ uri }) {
        const cited = fileOf(uri);
        if (cited === undefined) return [];
        const file = await texts.read(cited).catch(() => undefined);
        const { pathOnDisk, hasChanged } = file ?? {};
        const at = marks.rangeIn(uri) ?? new vscode.Range(0, 0, 0, 0);
        if (pathOnDisk === undefined) {
          return hasChanged === true ? [lens(at, vscode.l10n.t("This file is gone since it was cited."))] : [];
        }
        if (hasChanged !== true && !isDirty(pathOnDisk)) return [];
        const current = vscode.Uri.file(pathOnDisk);
        const name = path.posix.basename(cited.path);
        return [
          lens(at, vscode.l10n.t("This file has changed since it was cited: compare"), {
            command: "vscode.diff",
            arguments: [
              uri,
              current.with({ scheme: currentScheme }),
              vscode.l10n.t("{0} (as cited ↔ as it is now)", name),
            ],
          }),
          lens(at, vscode.l10n.t("Open as it is now"), { command: "vscode.open", arguments: [current] }),
        ];
      },
    },
  );
  return vscode.Disposable.from(
    lenses,
    vscode.workspace.registerTextDocumentContentProvider(currentScheme, currentFiles),
  );
}

/** Files as they are now, unsaved changes included, for a comparison that cannot be typed into by mistake. */
const currentScheme = "citewell-current";

const currentFiles: vscode.TextDocumentContentProvider = {
  provideTextDocumentContent: async (uri) =>
    (await vscode.workspace.openTextDocument(uri.with({ scheme: "file" }))).getText(),
};

function lens(
  range: vscode.Range,
  title: string,
  action: Omit<vscode.Command, "title"> = { command: "" },
): vscode.CodeLens {
  return new vscode.CodeLens(range, { ...action, title });
}
