import * as vscode from "vscode";

/** The citations of documents that are right: a soft mark behind each, and their state as a hover. */
export interface ValidMarks extends vscode.Disposable {
  /** Replaces the marks of a document; none takes them away. An edit of the document does so, too. */
  show(uri: vscode.Uri, marks: readonly ValidMark[]): void;
  clear(): void;
}

export interface ValidMark {
  range: vscode.Range;
  /** The state in words for people: `verified`. */
  state: string;
}

export function createValidMarks(): ValidMarks {
  const decoration = vscode.window.createTextEditorDecorationType({
    after: { contentText: "✓", color: new vscode.ThemeColor("testing.iconPassed"), margin: "0 0 0 2px" },
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
  const shown = new Map<string, readonly ValidMark[]>();
  const marksIn = ({ uri }: vscode.TextDocument) => shown.get(uri.toString()) ?? [];

  function draw(): void {
    for (const editor of vscode.window.visibleTextEditors)
      editor.setDecorations(
        decoration,
        marksIn(editor.document).map(({ range }) => range),
      );
  }

  function show(uri: vscode.Uri, marks: readonly ValidMark[]): void {
    if (marks.length > 0) shown.set(uri.toString(), marks);
    else shown.delete(uri.toString());
    draw();
  }

  const parts = vscode.Disposable.from(
    decoration,
    vscode.window.onDidChangeVisibleTextEditors(draw),
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (contentChanges.length > 0 && marksIn(document).length > 0) show(document.uri, []);
    }),
    vscode.languages.registerHoverProvider([{ scheme: "file" }, { scheme: "untitled" }, { scheme: "vscode-remote" }], {
      provideHover(document, position) {
        const mark = marksIn(document).find(({ range }) => range.contains(position));
        return mark && new vscode.Hover(`Citewell: ${mark.state}`, mark.range);
      },
    }),
  );
  return {
    show,
    clear() {
      shown.clear();
      draw();
    },
    dispose: () => parts.dispose(),
  };
}
