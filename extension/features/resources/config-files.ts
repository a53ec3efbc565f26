import * as vscode from "vscode";
import type { ConfigFiles } from "../../../server/protocol/config.ts";
import type { Server } from "../../context.ts";

/** The configuration files as they stood, so that what an edit did to them can be taken back to the letter. */
export interface ConfigTexts {
  /** Null of a file that is not there. */
  texts: ReadonlyMap<string, string | null>;
}

export async function readConfigTexts({ server }: { server: Server }): Promise<ConfigTexts> {
  const { project, global } = await server.request("getConfigFiles", {});
  const paths = [global.path, ...(project === null ? [] : [project.path])];
  const texts = await Promise.all(paths.map(async (path) => [path, await readText(path)] as const));
  return { texts: new Map(texts) };
}

/** The configuration file of the open project; undefined without a folder, and in one that is not trusted. */
export async function projectFile({ server }: { server: Server }): Promise<ConfigFiles["global"] | undefined> {
  const { project } = await server.request("getConfigFiles", {});
  const folder = project === null ? undefined : vscode.workspace.getWorkspaceFolder(vscode.Uri.file(project.path));
  return project === null || folder === undefined ? undefined : project;
}

/** Puts back the one file that differs between the two. False where somebody has written it since. */
export async function restoreConfig(before: ConfigTexts, after: ConfigTexts): Promise<boolean> {
  const changed = [...before.texts].filter(([path, text]) => after.texts.get(path) !== text);
  const [first] = changed;
  if (first === undefined || changed.length > 1) return false;
  const [path, text] = first;
  if ((await readText(path)) !== after.texts.get(path)) return false;
  const uri = vscode.Uri.file(path);
  if (text === null) await vscode.workspace.fs.delete(uri);
  else await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
  return true;
}

/** Opens the project's configuration or the global one; one that is still to be written opens unsaved. */
export async function openConfig({ server }: { server: Server }): Promise<void> {
  const { global } = await server.request("getConfigFiles", {});
  const project = await projectFile({ server });
  if (project === undefined) return showConfig(global);
  const item = (label: string, file: typeof global) => ({
    label,
    description: file.exists ? undefined : vscode.l10n.t("not written yet"),
    detail: file.path,
    file,
  });
  const chosen = await vscode.window.showQuickPick(
    [
      item(vscode.l10n.t("Configuration of This Project"), project),
      item(vscode.l10n.t("Global Configuration"), global),
    ].map(({ description, ...rest }) => ({ ...rest, ...(description === undefined ? {} : { description }) })),
    {
      title: vscode.l10n.t("Open Configuration"),
      placeHolder: vscode.l10n.t("The project's configuration overrides the global one"),
    },
  );
  if (chosen !== undefined) await showConfig(chosen.file);
}

/** Tells of every change of a configuration file: the projects', and, once it is known where it is, the global one. */
export function watchConfig(onChange: () => void): vscode.Disposable & { watchGlobal(server: Server): Promise<void> } {
  const watchers: vscode.Disposable[] = [];
  const watch = (pattern: vscode.GlobPattern) => {
    const watcher = vscode.workspace.createFileSystemWatcher(pattern);
    watchers.push(watcher, watcher.onDidChange(onChange), watcher.onDidCreate(onChange), watcher.onDidDelete(onChange));
  };
  watch(`**/${configName}`);
  let isGlobalWatched = false;
  return {
    async watchGlobal(server) {
      if (isGlobalWatched) return;
      isGlobalWatched = true;
      const files = await server.request("getConfigFiles", {}).catch(() => undefined);
      isGlobalWatched = files !== undefined;
      if (files === undefined) return;
      const { global } = files;
      watch(new vscode.RelativePattern(vscode.Uri.joinPath(vscode.Uri.file(global.path), ".."), configName));
    },
    dispose: () => watchers.forEach((watcher) => watcher.dispose()),
  };
}

const configName = "citewell.config.jsonc";

async function showConfig({ path, exists }: { path: string; exists: boolean }): Promise<void> {
  const uri = vscode.Uri.file(path);
  if (exists) {
    await vscode.window.showTextDocument(uri);
    return;
  }
  const document = await vscode.workspace.openTextDocument(uri.with({ scheme: "untitled" }));
  const editor = await vscode.window.showTextDocument(document);
  if (document.getText() !== "") return;
  await editor.insertSnippet(new vscode.SnippetString('{\n  "resources": [\n    $0\n  ]\n}\n'));
}

async function readText(path: string): Promise<string | null> {
  return vscode.workspace.fs.readFile(vscode.Uri.file(path)).then(
    (bytes) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes),
    () => null,
  );
}
