import assert from "node:assert/strict";
import * as vscode from "vscode";

interface Manifest {
  contributes: { commands: { command: string; category: string }[]; views: { citewell: { id: string }[] } };
}

suite("activation", () => {
  const extension = vscode.extensions.getExtension<unknown>("citewell.citewell");
  const manifest: Manifest | undefined = extension?.packageJSON;

  test("nothing of a plain window activates the extension", async () => {
    const document = await vscode.workspace.openTextDocument({ language: "typescript", content: "export {};" });
    await vscode.window.showTextDocument(document);
    assert.equal(extension?.isActive, false);
  });

  test("it registers the commands that its manifest names, and no others", async () => {
    await extension?.activate();
    const registered = (await vscode.commands.getCommands(true)).filter((id) => id.startsWith("citewell."));
    // VS Code adds commands for each view, `citewell.chat.focus` and the like.
    const ofViews = manifest?.contributes.views.citewell.map(({ id }) => `${id}.`) ?? [];
    const own = registered.filter((id) => !ofViews.some((prefix) => id.startsWith(prefix)));
    assert.deepEqual(own.sort(), manifest?.contributes.commands.map(({ command }) => command).sort());
  });

  test("every command has the same category", () => {
    assert.deepEqual([...new Set(manifest?.contributes.commands.map(({ category }) => category))], ["Citewell"]);
  });
});
