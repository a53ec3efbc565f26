import {
  type CodeAction,
  CodeActionKind,
  type CodeLens,
  type CompletionItem,
  CompletionItemKind,
  type Diagnostic,
  DiagnosticSeverity,
  DiagnosticTag,
  type DocumentSymbol,
  InsertTextFormat,
  type Range,
  SymbolKind,
  type TextEdit,
} from "vscode-languageserver";
import type { TextDocument } from "vscode-languageserver-textdocument";
import * as z from "zod";
import type {
  ConfigCompletion,
  ConfigFinding,
  ConfigLens,
  ConfigSymbol,
  OfferedFix,
  Span,
  SpanEdit,
} from "../../protocol/config-language.ts";

/** Executed here: a command never contains the key itself. The underscore hides it from the editor's lists. */
export const storeKeyCommand = "_citewell.storeKey";

/** The argument of that command. */
export const KeyToStore = z.tuple([
  z.object({ uri: z.string(), provider: z.string(), path: z.array(z.union([z.string(), z.number()])) }),
]);

export function toRange(document: TextDocument, { start, end }: Span): Range {
  return { start: document.positionAt(start), end: document.positionAt(end) };
}

export function toTextEdit(document: TextDocument, { text, ...span }: SpanEdit): TextEdit {
  return { range: toRange(document, span), newText: text };
}

const severities: Record<ConfigFinding["severity"], DiagnosticSeverity> = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  information: DiagnosticSeverity.Information,
};

export function toDiagnostic(
  document: TextDocument,
  { severity, code, message, isUnnecessary, ...span }: ConfigFinding,
): Diagnostic {
  const { start, end } = span;
  return {
    range: toRange(document, { start, end }),
    severity: severities[severity],
    code,
    source: "citewell",
    message,
    ...(isUnnecessary ? { tags: [DiagnosticTag.Unnecessary] } : {}),
  };
}

const itemKinds: Record<ConfigCompletion["kind"], CompletionItemKind> = {
  key: CompletionItemKind.Property,
  value: CompletionItemKind.Value,
  provider: CompletionItemKind.Module,
  model: CompletionItemKind.Constant,
  branch: CompletionItemKind.Reference,
  tag: CompletionItemKind.Reference,
  package: CompletionItemKind.Module,
  folder: CompletionItemKind.Folder,
  file: CompletionItemKind.File,
  resource: CompletionItemKind.Snippet,
};

/** The input is compared with the text that it replaces, quotes included. */
export function toCompletion(
  { label, kind, detail, documentation, edit, isSnippet, goesOn }: ConfigCompletion,
  { document, index }: { document: TextDocument; index: number },
): CompletionItem {
  return {
    label,
    kind: itemKinds[kind],
    ...(detail === undefined ? {} : { detail }),
    ...(documentation === undefined || documentation === ""
      ? {}
      : { documentation: { kind: "markdown", value: documentation } }),
    filterText: kind === "resource" ? label : filterText({ label, kind, edit }, document),
    sortText: String(index).padStart(5, "0"),
    insertTextFormat: isSnippet ? InsertTextFormat.Snippet : InsertTextFormat.PlainText,
    textEdit: toTextEdit(document, edit),
    ...(goesOn ? { command: { title: "Suggest", command: "editor.action.triggerSuggest" } } : {}),
  };
}

/** With the folder that is written before it, and with a quote only where there is one. */
function filterText(
  { label, kind, edit }: Pick<ConfigCompletion, "label" | "kind" | "edit">,
  document: TextDocument,
): string {
  const written = document.getText(toRange(document, edit));
  const isQuoted = written.startsWith('"');
  const parent = kind === "folder" || kind === "file" ? (/^"?(.*[/\\])/.exec(written)?.[1] ?? "") : "";
  return isQuoted ? `"${parent}${label}"` : label;
}

export function toAction(document: TextDocument, { title, edits, isPreferred, key, finding }: OfferedFix): CodeAction {
  const command = key && { title, command: storeKeyCommand, arguments: [{ uri: document.uri, ...key }] };
  return {
    title,
    kind: finding === undefined ? CodeActionKind.Refactor : CodeActionKind.QuickFix,
    ...(finding === undefined ? {} : { diagnostics: [toDiagnostic(document, finding)] }),
    ...(isPreferred ? { isPreferred } : {}),
    ...(command === undefined
      ? { edit: { changes: { [document.uri]: edits.map((edit) => toTextEdit(document, edit)) } } }
      : { command }),
  };
}

/** A command without a name, which editors show as plain text. */
export function toLens(document: TextDocument, { title, askAbout, ...span }: ConfigLens): CodeLens {
  const command =
    askAbout === undefined
      ? { title, command: "" }
      : { title, command: "citewell.askAboutResource", arguments: [askAbout] };
  return { range: toRange(document, span), command };
}

const symbolKinds: Record<ConfigSymbol["kind"], SymbolKind> = {
  key: SymbolKind.Property,
  list: SymbolKind.Array,
  resource: SymbolKind.Package,
};

export function toSymbol(
  document: TextDocument,
  { name, detail, kind, nameSpan, children, ...span }: ConfigSymbol,
): DocumentSymbol {
  return {
    name,
    ...(detail === undefined ? {} : { detail }),
    kind: symbolKinds[kind],
    range: toRange(document, span),
    selectionRange: toRange(document, nameSpan),
    children: children.map((child) => toSymbol(document, child)),
  };
}
