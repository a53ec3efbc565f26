import {
  type CancellationToken,
  CodeActionKind,
  CodeLensRefreshRequest,
  type ServerCapabilities,
  TextDocuments,
  TextDocumentSyncKind,
} from "vscode-languageserver";
import { TextDocument } from "vscode-languageserver-textdocument";
import { fileURLToPath } from "node:url";
import { CitewellError, messageOf } from "../../errors.ts";
import type { Log } from "../../lib/log.ts";
import type { ConfigLanguage, ConfigText } from "../../protocol/config-language.ts";
import {
  KeyToStore,
  storeKeyCommand,
  toAction,
  toCompletion,
  toDiagnostic,
  toLens,
  toRange,
  toSymbol,
  toTextEdit,
} from "./config-shapes.ts";
import type { Connection } from "./connection.ts";
import { toResponseError } from "./error-codes.ts";
import type { LspFeature } from "./lsp.ts";

const capabilities: ServerCapabilities = {
  textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
  completionProvider: { triggerCharacters: ['"', "/", ":"] },
  hoverProvider: true,
  codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix, CodeActionKind.Refactor] },
  codeLensProvider: {},
  documentSymbolProvider: true,
  documentFormattingProvider: true,
  documentRangeFormattingProvider: true,
  executeCommandProvider: { commands: [storeKeyCommand] },
};

/** The configuration file as a language: the standard requests of an editor, answered by `language`. */
export function configLanguageFeature(language: ConfigLanguage, { log }: { log: Log }): LspFeature {
  return (connection) => {
    const documents = new TextDocuments(TextDocument);
    keepDiagnosed(connection, { documents, language, log });
    const answer = answerWith(documents);

    connection.onCompletion((params, token) =>
      answer(params, token, async (document, text, signal) => {
        const found = await language.complete(text, document.offsetAt(params.position), { signal });
        return found.map((completion, index) => toCompletion(completion, { document, index }));
      }),
    );
    connection.onHover((params, token) =>
      answer(params, token, async (document, text, signal) => {
        const found = await language.hover(text, document.offsetAt(params.position), { signal });
        if (found === undefined) return null;
        return { contents: { kind: "markdown" as const, value: found.markdown }, range: toRange(document, found) };
      }),
    );
    connection.onCodeAction((params, token) =>
      answer(params, token, async (document, text, signal) => {
        const span = { start: document.offsetAt(params.range.start), end: document.offsetAt(params.range.end) };
        const fixes = await language.fixes(text, span, { signal });
        const actions = fixes.map((fix) => toAction(document, fix));
        const { only } = params.context;
        return actions.filter(({ kind }) => only === undefined || only.some((wanted) => kind?.startsWith(wanted)));
      }),
    );
    connection.onCodeLens((params, token) =>
      answer(params, token, async (document, text, signal) =>
        (await language.lenses(text, { signal })).map((lens) => toLens(document, lens)),
      ),
    );
    connection.onDocumentSymbol((params, token) =>
      answer(params, token, (document, { text }) => language.outline(text).map((symbol) => toSymbol(document, symbol))),
    );
    connection.onDocumentFormatting((params, token) =>
      answer(params, token, (document, { text }) =>
        language.format(text, params.options).map((edit) => toTextEdit(document, edit)),
      ),
    );
    connection.onDocumentRangeFormatting((params, token) =>
      answer(params, token, (document, { text }) => {
        const span = { start: document.offsetAt(params.range.start), end: document.offsetAt(params.range.end) };
        return language.format(text, { ...params.options, span }).map((edit) => toTextEdit(document, edit));
      }),
    );
    connection.onExecuteCommand(async ({ arguments: given }, token) => {
      const [{ uri, ...place }] = KeyToStore.parse(given);
      return answer({ textDocument: { uri } }, token, async (document, text, signal) => {
        const edits = await language.storeKey(text, place, { signal });
        const { version } = document;
        const changes = [{ textDocument: { uri, version }, edits: edits.map((edit) => toTextEdit(document, edit)) }];
        const { applied } = await connection.workspace.applyEdit({ edit: { documentChanges: changes } });
        return applied;
      });
    });
    documents.onDidSave(() => {
      // The effective configuration has changed. A client may not support the request.
      connection.sendRequest(CodeLensRefreshRequest.type).catch(() => {});
    });
    documents.listen(connection);
    return capabilities;
  };
}

type Answer<Result> = (document: TextDocument, text: ConfigText, signal: AbortSignal) => Promise<Result> | Result;

/** Null for a document that is not open, or no file. */
function answerWith(documents: TextDocuments<TextDocument>) {
  return async <Result>(
    { textDocument: { uri } }: { textDocument: { uri: string } },
    token: CancellationToken,
    answer: Answer<Result>,
  ): Promise<Result | null> => {
    const document = asItIs(documents.get(uri));
    const text = document && configText(document);
    if (document === undefined || text === undefined) return null;
    const cancelling = new AbortController();
    const cancelled = new CitewellError("Cancelled", "the request was cancelled");
    const listening = token.onCancellationRequested(() => cancelling.abort(cancelled));
    try {
      return await answer(document, text, cancelling.signal);
    } catch (error) {
      throw toResponseError(error);
    } finally {
      listening.dispose();
    }
  };
}

/** An open document is changed in place: the places in an answer are those of the text that was looked at. */
function asItIs(document: TextDocument | undefined): TextDocument | undefined {
  return document && TextDocument.create(document.uri, document.languageId, document.version, document.getText());
}

/** Undefined of what is kept elsewhere than in a file. */
function configText(document: TextDocument): ConfigText | undefined {
  if (!document.uri.startsWith("file:")) return undefined;
  return { path: fileURLToPath(document.uri), text: document.getText() };
}

/** How long after the last letter it is looked for faults, in milliseconds. */
const quietMs = 300;

/** Tells of the faults of each open document: at once when it is opened or saved, else when nothing is typed for a while. */
function keepDiagnosed(
  connection: Connection,
  { documents, language, log }: { documents: TextDocuments<TextDocument>; language: ConfigLanguage; log: Log },
): void {
  const running = new Map<string, AbortController>();

  function begin(uri: string, { afterMs }: { afterMs: number }): void {
    running.get(uri)?.abort();
    const cancelling = new AbortController();
    running.set(uri, cancelling);
    const timer = setTimeout(() => {
      diagnose(uri, cancelling.signal).catch((error: unknown) => {
        if (!cancelling.signal.aborted) log.error("diagnose-failed", { error: messageOf(error) });
      });
    }, afterMs);
    cancelling.signal.addEventListener("abort", () => clearTimeout(timer));
  }

  async function diagnose(uri: string, signal: AbortSignal): Promise<void> {
    const document = asItIs(documents.get(uri));
    const text = document && configText(document);
    if (document === undefined || text === undefined) return;
    const findings = await language.diagnose(text, { signal });
    signal.throwIfAborted();
    const diagnostics = findings.map((finding) => toDiagnostic(document, finding));
    await connection.sendDiagnostics({ uri, version: document.version, diagnostics });
  }

  // Also when it is opened.
  documents.onDidChangeContent(({ document: { uri } }) => begin(uri, { afterMs: running.has(uri) ? quietMs : 0 }));
  // What a file says counts for every other one.
  documents.onDidSave(() => documents.keys().forEach((uri) => begin(uri, { afterMs: 0 })));
  documents.onDidClose(({ document: { uri } }) => {
    running.get(uri)?.abort();
    running.delete(uri);
    void connection.sendDiagnostics({ uri, diagnostics: [] });
  });
  connection.onExit(() => running.forEach((cancelling) => cancelling.abort()));
}
