import * as vscode from "vscode";

/**
 * The channel of the protocol trace, `Citewell LSP Trace`, which opens with its first line. Tracing is on while the
 * server channel's level is Trace, so there is no second switch.
 */
export function traceChannel(server: vscode.LogOutputChannel): vscode.LogOutputChannel {
  let channel: vscode.OutputChannel | undefined;
  const open = () => (channel ??= vscode.window.createOutputChannel("Citewell LSP Trace"));
  const write = (message: string | Error) => open().appendLine(`${new Date().toISOString()} ${String(message)}`);
  return {
    name: "Citewell LSP Trace",
    get logLevel() {
      return server.logLevel;
    },
    onDidChangeLogLevel: server.onDidChangeLogLevel,
    trace: write,
    debug: write,
    info: write,
    warn: write,
    error: write,
    append: (text) => open().append(text),
    appendLine: (text) => open().appendLine(text),
    replace: (text) => open().replace(text),
    clear: () => channel?.clear(),
    show: () => open().show(),
    hide: () => channel?.hide(),
    dispose: () => channel?.dispose(),
  };
}
