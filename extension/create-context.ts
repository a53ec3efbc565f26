import * as vscode from "vscode";
import { createServer } from "./client.ts";
import type { Changes, Citewell, Selection } from "./context.ts";

/** Makes the services of all features. Starts no process; what it opens is closed with the extension. */
export function createContext(context: vscode.ExtensionContext): Citewell {
  const log = vscode.window.createOutputChannel("Citewell", { log: true });
  const changes = createChanges();
  const selection = createSelection(context.workspaceState);
  const server = createServer({ extension: context, log });
  context.subscriptions.push(server, selection, changes, log);
  return { extension: context, version: versionOf(context.extension), log, server, changes, selection };
}

function createChanges(): Changes & vscode.Disposable {
  const emitters = {
    resources: new vscode.EventEmitter<void>(),
    model: new vscode.EventEmitter<void>(),
    threads: new vscode.EventEmitter<void>(),
  };
  return {
    onDidChangeResources: emitters.resources.event,
    onDidChangeModel: emitters.model.event,
    onDidChangeThreads: emitters.threads.event,
    fire: (what) => emitters[what].fire(),
    dispose: () => Object.values(emitters).forEach((emitter) => emitter.dispose()),
  };
}

const selectionKey = "citewell.selection";

function createSelection(state: vscode.Memento): Selection & vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  return {
    get names() {
      return state.get<readonly string[]>(selectionKey, []);
    },
    onDidChange: changed.event,
    async set(names) {
      await state.update(selectionKey, [...new Set(names)]);
      changed.fire();
    },
    dispose: () => changed.dispose(),
  };
}

function versionOf({ packageJSON }: vscode.Extension<unknown>): string {
  const manifest: unknown = packageJSON;
  const isManifest = typeof manifest === "object" && manifest !== null && "version" in manifest;
  return isManifest ? String(manifest.version) : "";
}
