import * as vscode from "vscode";
import { citationStateWords, isProved } from "../../../server/protocol/citation.ts";
import type { FileLink, VerifiedCitation, VerifyReply, VerifyRequest } from "../../../server/protocol/verify.ts";
import type { Server } from "../../context.ts";
import { showError } from "../../server-error.ts";
import { type LocatedClaim, locateClaims, withLines } from "./claims.ts";
import { createValidMarks } from "./valid-marks.ts";

/** Checks what a document cites: marks what is right, and shows the rest beside the other problems of the editor. */
export interface Verification extends vscode.Disposable {
  /** @throws ServerError */
  verifyActive(): Promise<void>;
  clear(): void;
}

/** Creates the check of the citations in the open document, shown as diagnostics. */
export function createVerification({ server }: { server: Server }): Verification {
  const diagnostics = vscode.languages.createDiagnosticCollection("citewell");
  const marks = createValidMarks();
  /** The results of the documents whose problems are shown, by URI. */
  const shown = new Map<string, readonly VerifiedCitation[]>();

  async function verify(document: vscode.TextDocument, token: vscode.CancellationToken): Promise<VerifyReply> {
    const { version } = document;
    const reply = await server.request("verify", { text: document.getText(), ...placeOf(document) }, { token });
    const { citations, links = [] } = reply;
    // Edited meanwhile: the places are no longer right, and the next save checks it anew.
    if (document.version !== version || document.isClosed) return reply;
    const textOf = (line: number) => document.lineAt(Math.min(line, document.lineCount) - 1).text;
    const [valid, claims] = partition(locateClaims(citations, textOf), ({ claim }) => claim.state === "verified");
    const broken = locateClaims(links, textOf).filter(({ claim }) => claim.state === "missing");
    diagnostics.set(document.uri, [
      ...claims.map((one) => toDiagnostic(one, { message: describe(one.claim), severity: severityOf(one.claim) })),
      ...broken.map((one) =>
        toDiagnostic(one, { message: describeLink(one.claim), severity: vscode.DiagnosticSeverity.Warning }),
      ),
    ]);
    marks.show(
      document.uri,
      valid.map((one) => ({ range: rangeOf(one), state: citationStateWords.verified })),
    );
    shown.set(document.uri.toString(), citations);
    return reply;
  }

  async function verifyActive(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    if (document === undefined) {
      void vscode.window.showInformationMessage(
        vscode.l10n.t("First open the file whose citations you want to verify."),
      );
      return;
    }
    const progress = {
      location: vscode.ProgressLocation.Notification,
      title: vscode.l10n.t("Verifying citations"),
      cancellable: true,
    };
    const reply = await vscode.window.withProgress(progress, (_progress, token) => verify(document, token));
    void showSummary(reply);
  }

  function forget(uri: vscode.Uri): void {
    shown.delete(uri.toString());
    diagnostics.delete(uri);
    marks.show(uri, []);
  }

  const subscriptions = [
    vscode.workspace.onDidSaveTextDocument((document) => {
      if (!shown.has(document.uri.toString())) return;
      verify(document, new vscode.CancellationTokenSource().token).catch(showError);
    }),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => forget(uri)),
    vscode.languages.registerCodeActionsProvider(
      [{ scheme: "file" }, { scheme: "untitled" }, { scheme: "vscode-remote" }],
      {
        provideCodeActions(document, _range, context) {
          const citations = shown.get(document.uri.toString()) ?? [];
          return context.diagnostics.flatMap((problem) => fixesFor(problem, { citations, document }));
        },
      },
      { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
    ),
  ];

  return {
    verifyActive,
    clear() {
      shown.clear();
      diagnostics.clear();
      marks.clear();
    },
    dispose: () => [...subscriptions, diagnostics, marks].forEach((part) => part.dispose()),
  };
}

const source = "Citewell";

/** Its project is checked first, and relative paths start in its folder. */
function placeOf({ uri }: vscode.TextDocument): Pick<VerifyRequest, "file"> {
  return uri.scheme === "file" ? { file: uri.fsPath } : {};
}

function toDiagnostic(
  located: LocatedClaim<VerifiedCitation | FileLink>,
  { message, severity }: { message: string; severity: vscode.DiagnosticSeverity },
): vscode.Diagnostic {
  const diagnostic = new vscode.Diagnostic(rangeOf(located), message, severity);
  diagnostic.code = located.claim.state;
  diagnostic.source = source;
  return diagnostic;
}

function rangeOf({ claim, columns }: LocatedClaim<VerifiedCitation | FileLink>): vscode.Range {
  const line = claim.at.line - 1;
  return new vscode.Range(line, columns.start, line, columns.end);
}

function partition<Item>(items: readonly Item[], test: (item: Item) => boolean): [yes: Item[], no: Item[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}

function describe(citation: VerifiedCitation): string {
  const { state, reason } = citation;
  return reason === undefined ? citationStateWords[state] : `${citationStateWords[state]}: ${reason}`;
}

function describeLink({ state, reason }: FileLink): string {
  return reason === undefined ? state : `${state}: ${reason}`;
}

/** What could not be read may be right all the same. */
function severityOf({ state }: VerifiedCitation): vscode.DiagnosticSeverity {
  const isHarmless = state === "relocated" || state === "not-read";
  return isHarmless ? vscode.DiagnosticSeverity.Information : vscode.DiagnosticSeverity.Warning;
}

/** The lines where the quoted text is. What the editor hands back of a problem is its text and its place, as they are by now. */
function fixesFor(
  problem: vscode.Diagnostic,
  { citations, document }: { citations: readonly VerifiedCitation[]; document: vscode.TextDocument },
): vscode.CodeAction[] {
  const written = document.getText(problem.range);
  const isMeant = (citation: VerifiedCitation) =>
    citation.at.text === written && describe(citation) === problem.message;
  const citation = problem.source === source ? citations.find(isMeant) : undefined;
  if (citation?.claimed === undefined) return [];
  const fixed = withLines(written, citation.claimed, citation);
  if (fixed === undefined) return [];
  const title = vscode.l10n.t("Cite the lines where the text is: {0}", fixed);
  const fix = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  fix.edit = new vscode.WorkspaceEdit();
  fix.edit.replace(document.uri, problem.range, fixed);
  fix.diagnostics = [problem];
  fix.isPreferred = true;
  return [fix];
}

async function showSummary({ citations, links = [], unavailable = [] }: VerifyReply): Promise<void> {
  const count = citations.length + links.length;
  const failed =
    citations.filter((citation) => !isProved(citation)).length +
    links.filter(({ state }) => state === "missing").length;
  if (count === 0) {
    await vscode.window.showInformationMessage(
      vscode.l10n.t("This file has no citations and no relative links that can be checked."),
    );
  } else if (failed === 0) {
    const counts = vscode.l10n.t("citations: {0}, links to files: {1}", citations.length, links.length);
    await vscode.window.showInformationMessage(vscode.l10n.t("All is valid in this file: {0}.", counts));
  } else {
    const show = vscode.l10n.t("Show Problems");
    const failures = vscode.l10n.t("Valid citations and links in this file: {0} of {1}.", count - failed, count);
    const closed = unavailable.map(({ resource }) => resource).join(", ");
    const message = closed === "" ? failures : `${failures} ${vscode.l10n.t("Could not be opened: {0}.", closed)}`;
    if ((await vscode.window.showWarningMessage(message, show)) === show) {
      await vscode.commands.executeCommand("workbench.actions.view.problems");
    }
  }
}
