import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import { scriptedModel, type ScriptedModel } from "../../support/scripted-model.ts";

const configFile = path.join(process.env["CITEWELL_HOME"] ?? "", "citewell.config.jsonc");
const workspace = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";

suite("chat", () => {
  let model: ScriptedModel;
  /** The model has another answer then. */
  let isAgain = false;
  suiteSetup(async () => {
    model = await scriptedModel(({ body, toolResults }) => {
      const question = JSON.stringify(body.messages.findLast(({ role }) => role === "user"));
      if (question.includes("Why is this here")) return "Because once was not enough.";
      if (isAgain) return "And again.";
      if (toolResults.length > 0) return "Twice as long [[workspace:src/retry.ts#L2-L4]].";
      return { toolCalls: [{ name: "read", input: { path: "src/retry.ts" } }] };
    });
    const resources = [{ type: "local", name: "workspace", path: workspace }];
    await mkdir(path.dirname(configFile), { recursive: true });
    await writeFile(configFile, JSON.stringify({ ...model.config, resources }));
  });
  suiteTeardown(async () => {
    // Not after each test: what was closed a moment ago comes back from its backup in the next one of that name.
    while (vscode.window.activeTextEditor !== undefined) {
      await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
    }
    await vscode.commands.executeCommand("citewell.newChat");
    await model[Symbol.asyncDispose]();
    await rm(configFile);
  });

  test("the project is indexed when the chat opens, before a question", async () => {
    await vscode.commands.executeCommand("citewell.chat.focus");
    assert.match(await indexed(), /\.index$/);
  });

  test("where nothing was asked, no document opens", async () => {
    const before = vscode.window.activeTextEditor?.document.uri.toString();
    await vscode.commands.executeCommand("citewell.exportConversation");
    await vscode.commands.executeCommand("citewell.showLastTrace");
    assert.equal(vscode.window.activeTextEditor?.document.uri.toString(), before);
  });

  test("a question asked by command is answered", async () => {
    await vscode.commands.executeCommand("citewell.ask", "How long does it wait?");
    assert.match(await answered("Twice"), /^Twice as long \[src\/retry\.ts:2-4\]\(file:.*\)\.$/);
  });

  test("the conversation is copied and exported with its sources", async () => {
    const copied = await conversationWith("   export function delayMs");
    assert.match(copied, /^# How long does it wait\?\n\n> How long does it wait\?\n/);
    assert.match(
      copied,
      /\*\*Sources\*\*\n\n1\. `src\/retry\.ts:2-4` \(.*\): verified\n\n {3}```ts\n {3}export function delayMs/,
    );
    await vscode.commands.executeCommand("citewell.exportConversation");
    const document = vscode.window.activeTextEditor?.document;
    assert.deepEqual([document?.languageId, document?.isUntitled], ["markdown", true]);
    assert.equal(document?.getText(), copied);
  });

  test("the trace of the last question shows what went to and fro", async () => {
    await vscode.commands.executeCommand("citewell.showLastTrace");
    const document = vscode.workspace.textDocuments.find(
      ({ isUntitled, languageId }) => isUntitled && languageId === "json",
    );
    const trace: { request: unknown; events: { type: string }[] } = JSON.parse(document?.getText() ?? "");
    assert.deepEqual(trace.request, { question: "How long does it wait?", progress: true, thread: "new" });
    assert.deepEqual([trace.events[0]?.type, trace.events.at(-1)?.type], ["meta", "done"]);
  });

  test("asking again takes the place of the last question", async () => {
    isAgain = true;
    await vscode.commands.executeCommand("citewell.retry");
    assert.equal(await answered("And"), "And again.");
    await vscode.commands.executeCommand("citewell.copyConversation");
    assert.equal((await vscode.env.clipboard.readText()).match(/^> /gm)?.length, 1);
  });

  test("why lines are there is asked with the commits of these lines", async () => {
    const folder = path.join(workspace, "owned");
    const file = path.join(folder, "tries.ts");
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder);
    const identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgsign=false"];
    const git = (...args: string[]) => execFileSync("git", [...identity, ...args], { cwd: folder });
    git("init", "--quiet");
    for (const [message, text] of [
      ["Add tries", "export const tries = 1;\nexport const other = 1;\n"],
      ["Try twice", "export const tries = 2;\nexport const other = 1;\n"],
    ] as const) {
      await writeFile(file, text);
      git("add", ".");
      git("commit", "--quiet", `--message=${message}`);
    }
    const editor = await vscode.window.showTextDocument(vscode.Uri.file(file));
    editor.selection = new vscode.Selection(0, 0, 0, 5);
    await vscode.commands.executeCommand("citewell.whyHere");
    assert.equal(await answered("Because"), "Because once was not enough.");
    const sent = JSON.stringify(model.requests.at(-1)?.body.messages);
    assert.match(
      sent,
      /Why is this here, and since when\?[^]*export const tries = 2;[^]*owned\/tries\.ts:1, 2 commits/,
    );
    assert.match(sent, /\| Try twice[^]*-1\|export const tries = 1;[^]*\| Add tries/);
    await rm(folder, { recursive: true });
  });

  test("the line of a dependency offers to ask what an upgrade breaks", async () => {
    const file = path.join(workspace, "upgraded", "package.json");
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, '{\n  "dependencies": {\n    "tiny": "1.0.0"\n  }\n}\n');
    const { uri } = await vscode.workspace.openTextDocument(file);
    const actionsAt = async (line: number) => {
      const range = new vscode.Range(line, 4, line, 4);
      const found = await vscode.commands.executeCommand<vscode.CodeAction[]>(
        "vscode.executeCodeActionProvider",
        uri,
        range,
      );
      return found.filter(({ command }) => command?.command === "citewell.ask");
    };
    assert.deepEqual(await actionsAt(1), []);
    const [action] = await actionsAt(2);
    assert.equal(action?.title, "What breaks if I upgrade tiny?");
    assert.deepEqual(action?.command?.arguments, ["What breaks if I upgrade tiny?"]);
    const hoversAt = async (line: number) => {
      const at = new vscode.Position(line, 6);
      const hovers = await vscode.commands.executeCommand<vscode.Hover[]>("vscode.executeHoverProvider", uri, at);
      const texts = hovers.flatMap(({ contents }) =>
        contents.map((one) => (typeof one === "string" ? one : one.value)),
      );
      return texts.filter((text) => text.includes("command:citewell."));
    };
    assert.deepEqual(await hoversAt(1), []);
    const [hover = ""] = await hoversAt(2);
    const [, title, given = ""] = /^\[(.*)\]\(command:citewell\.ask\?(.*)\)$/.exec(hover) ?? [];
    assert.equal(title, "What breaks for me?");
    assert.deepEqual(JSON.parse(decodeURIComponent(given)), action?.command?.arguments);
    await rm(path.dirname(file), { recursive: true });
  });

  test("help for the keyboard and for screen readers is a document", async () => {
    await vscode.commands.executeCommand("citewell.accessibilityHelp");
    const help = vscode.window.activeTextEditor;
    assert.match(help?.document.getText() ?? "", /Alt\+F8/);
    // Nothing can be written into it, so closing it asks nothing.
    await vscode.commands.executeCommand("type", { text: "x" });
    assert.deepEqual([help?.document.isUntitled, help?.document.isDirty], [false, false]);
    await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
    assert.notEqual(vscode.window.activeTextEditor?.document.uri.scheme, "citewell-help");
  });
});

/** The conversation as it is copied, as soon as this is in it: cited lines are, once the server has kept the answer. */
async function conversationWith(part: string): Promise<string> {
  for (;;) {
    await vscode.commands.executeCommand("citewell.copyConversation");
    const text = await vscode.env.clipboard.readText();
    if (text.includes(part)) return text;
  }
}

/** The file of an index, as soon as there is one. */
async function indexed(): Promise<string> {
  const directory = path.join(process.env["CITEWELL_HOME"] ?? "", "data", "index");
  for (;;) {
    const files = await readdir(directory).catch(() => []);
    const found = files.find((file) => file.endsWith(".index"));
    if (found !== undefined) return found;
  }
}

/** The last answer, as soon as it begins like this. */
async function answered(start: string): Promise<string> {
  for (;;) {
    await vscode.commands.executeCommand("citewell.copyAnswer");
    const text = await vscode.env.clipboard.readText();
    if (text.startsWith(start) && text.endsWith(".")) return text;
  }
}
