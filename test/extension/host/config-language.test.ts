import assert from "node:assert/strict";
import * as vscode from "vscode";

const text = `{
  "maxSteps": 0,
  "resources": [
    { "type": "local", "name": "sources", "path": "./src" },
  ],
}
`;

suite("the language of the configuration", () => {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  assert(folder !== undefined);
  const uri = vscode.Uri.joinPath(folder, "citewell.config.jsonc");
  let document: vscode.TextDocument;

  suiteSetup(async () => {
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
    document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document);
  });
  suiteTeardown(async () => {
    await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
    await vscode.workspace.fs.delete(uri);
  });

  test("the file is of that language", () => assert.equal(document.languageId, "citewell-config"));

  test("opening it starts the server, which reports faults", async () => {
    const [found] = await diagnostics((all) => all.length > 0);
    assert.equal(found?.message, "maxSteps: 0: must be at least 1");
    assert.equal(found.source, "citewell");
    assert.deepEqual(found.range, new vscode.Range(1, 14, 1, 15));
  });

  test("a corrected value clears the diagnostics", async () => {
    await replace("0", "10");
    assert.deepEqual(await diagnostics((all) => all.length === 0), []);
  });

  test("completion offers what a key may be", async () => {
    await replace('"maxSteps": 10', '"provider": ""');
    const position = document.positionAt(document.getText().indexOf('""') + 1);
    const { items } = await vscode.commands.executeCommand<vscode.CompletionList>(
      "vscode.executeCompletionItemProvider",
      uri,
      position,
    );
    const labels = items.map(({ label }) => (typeof label === "string" ? label : label.label));
    assert(labels.includes("builtin"), labels.join());
  });

  test("hover describes a key", async () => {
    const position = document.positionAt(document.getText().indexOf("provider") + 2);
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>("vscode.executeHoverProvider", uri, position);
    const shown = hovers.flatMap(({ contents }) => contents.map((it) => (typeof it === "string" ? it : it.value)));
    assert.match(shown.join("\n"), /The provider that answers\./);
  });

  test("a resource that is in force can be asked about", async () => {
    await replace('"provider": ""', '"provider": "builtin"');
    await document.save();
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>("vscode.executeCodeLensProvider", uri, 10);
    const commands = lenses.map(({ command }) => [command?.title, command?.command, command?.arguments?.[0]]);
    assert.deepEqual(commands[0], ["Ask about this resource", "citewell.askAboutResource", "sources"]);
    assert.equal(commands[1]?.[0], "ready");
  });

  test("the outline names its resources", async () => {
    const symbols = await vscode.commands.executeCommand<vscode.DocumentSymbol[]>(
      "vscode.executeDocumentSymbolProvider",
      uri,
    );
    const resources = symbols.find(({ name }) => name === "resources");
    assert.deepEqual(
      resources?.children.map(({ name }) => name),
      ["sources"],
    );
  });

  /** The diagnostics of the file, once they are as wanted. */
  async function diagnostics(isWanted: (all: vscode.Diagnostic[]) => boolean): Promise<vscode.Diagnostic[]> {
    const found = () => vscode.languages.getDiagnostics(uri).filter(({ source }) => source === "citewell");
    while (!isWanted(found())) {
      await new Promise<void>((resolve) => {
        const listening = vscode.languages.onDidChangeDiagnostics(() => {
          listening.dispose();
          resolve();
        });
      });
    }
    return found();
  }

  async function replace(wanted: string, replacement: string): Promise<void> {
    const start = document.getText().indexOf(wanted);
    const range = new vscode.Range(document.positionAt(start), document.positionAt(start + wanted.length));
    const edit = new vscode.WorkspaceEdit();
    edit.replace(uri, range, replacement);
    assert(await vscode.workspace.applyEdit(edit));
  }
});
