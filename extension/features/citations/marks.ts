import * as vscode from "vscode";

/** Which lines are marked as cited, and in which documents. */
export interface Marks extends vscode.Disposable {
  /** Replaces what is marked in that document. */
  mark(uri: vscode.Uri, range: vscode.Range): void;
  rangeIn(uri: vscode.Uri): vscode.Range | undefined;
  clear(): void;
  readonly onDidChange: vscode.Event<void>;
}

/** The cited lines in the theme's colours, in whatever editor shows them. A change of their document takes the mark away. */
export function createMarks(): Marks {
  const decoration = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("editor.rangeHighlightBackground"),
    // A bar before the lines: themes of high contrast have no background for them.
    borderColor: new vscode.ThemeColor("focusBorder"),
    borderStyle: "solid",
    borderWidth: "0 0 0 2px",
    overviewRulerColor: new vscode.ThemeColor("editorOverviewRuler.rangeHighlightForeground"),
    overviewRulerLane: vscode.OverviewRulerLane.Full,
  });
  const ranges = new Map<string, vscode.Range>();
  const changed = new vscode.EventEmitter<void>();

  function draw(): void {
    // First, so that the keys for marked lines work once the mark is seen.
    changed.fire();
    for (const editor of vscode.window.visibleTextEditors) {
      const range = ranges.get(editor.document.uri.toString());
      editor.setDecorations(decoration, range === undefined ? [] : [range]);
    }
  }

  function forget({ uri }: vscode.TextDocument): void {
    if (ranges.delete(uri.toString())) draw();
  }

  const subscriptions = [
    vscode.window.onDidChangeVisibleTextEditors(draw),
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (contentChanges.length > 0) forget(document);
    }),
    vscode.workspace.onDidCloseTextDocument(forget),
  ];

  return {
    mark(uri, range) {
      ranges.set(uri.toString(), range);
      draw();
    },
    rangeIn: (uri) => ranges.get(uri.toString()),
    clear() {
      ranges.clear();
      draw();
    },
    onDidChange: changed.event,
    dispose: () => [...subscriptions, changed, decoration].forEach((part) => part.dispose()),
  };
}
