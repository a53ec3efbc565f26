import * as vscode from "vscode";
import type { ProviderInfo } from "../../../server/protocol/provider.ts";
import type { SignInEvent } from "../../../server/protocol/sign-in.ts";
import type { Citewell } from "../../context.ts";
import { askText, type Place } from "../resources/steps.ts";
import { isCancelled, showError } from "../../server-error.ts";

/** Connects the provider. False if the user cancelled, or saw an error. */
export async function connect(provider: ProviderInfo, citewell: Citewell, place: Place): Promise<boolean> {
  const way = await chooseWay(provider);
  if (way === undefined) return false;
  try {
    const isDone = way === "api" ? await storeKey(provider, citewell, place) : await signInBy(way, provider, citewell);
    if (isDone) citewell.changes.fire("model");
    return isDone;
  } catch (error) {
    if (!isCancelled(error)) await showError(error);
    return false;
  }
}

type Way = "api" | "oauth" | "own-client";

async function chooseWay({ name, auth, envVar, takesClient }: ProviderInfo): Promise<Way | undefined> {
  const ways = [
    ...(auth.includes("api")
      ? [
          {
            label: vscode.l10n.t("$(key) With a Key"),
            detail: envVar === undefined ? "" : vscode.l10n.t("Or set {0}", envVar),
            way: "api" as const,
          },
        ]
      : []),
    ...(auth.includes("oauth")
      ? [{ label: vscode.l10n.t("$(sign-in) Sign In"), detail: "", way: "oauth" as const }]
      : []),
    ...(takesClient === true
      ? [
          {
            label: vscode.l10n.t("$(sign-in) Sign In with an OAuth Client of Your Own"),
            detail: vscode.l10n.t("You have registered one there; Citewell asks for its id once"),
            way: "own-client" as const,
          },
        ]
      : []),
  ];
  const [only, second] = ways;
  if (second === undefined) return only?.way;
  const title = vscode.l10n.t("Connect {0}", name);
  return (await vscode.window.showQuickPick(ways, { title, ignoreFocusOut: true }))?.way;
}

/** The key goes to the server at once, which keeps it; it is written nowhere else. */
async function storeKey({ id, name }: ProviderInfo, { server }: Citewell, place: Place): Promise<boolean> {
  const answered = await askText({
    ...place,
    title: vscode.l10n.t("Connect {0}", name),
    prompt: vscode.l10n.t("The key is kept in opencode's auth.json on this computer, and goes to {0} only.", name),
    isSecret: true,
    validate: (text) => (text === "" ? vscode.l10n.t("A key is needed.") : keyFault(text)),
  });
  if (answered.type !== "next") return false;
  await server.request("connectProvider", { provider: id, key: answered.draft });
  return true;
}

/** Keys of compatible servers are typed in `ask-server.ts`. */
export function keyFault(key: string): string | undefined {
  return /^[\x21-\x7e]*$/.test(key) ? undefined : vscode.l10n.t("A key has no spaces in it.");
}

async function signInBy(way: "oauth" | "own-client", provider: ProviderInfo, citewell: Citewell): Promise<boolean> {
  if (way === "oauth") return signIn(provider, {}, citewell);
  const client = await askClient(provider);
  return client === undefined ? false : signIn(provider, client, citewell);
}

interface OwnClient {
  clientId?: string;
  clientSecret?: string;
}

async function askClient({ name }: ProviderInfo): Promise<OwnClient | undefined> {
  const common = { title: vscode.l10n.t("Connect {0}", name), ignoreFocusOut: true };
  const clientId = await vscode.window.showInputBox({
    ...common,
    prompt: vscode.l10n.t("The client id of an OAuth client that you have registered at {0}.", name),
    validateInput: (text) => (text.trim() === "" ? vscode.l10n.t("An id is needed.") : undefined),
  });
  if (clientId === undefined) return undefined;
  const clientSecret = await vscode.window.showInputBox({
    ...common,
    prompt: vscode.l10n.t("Its secret; leave it empty if it has none."),
    password: true,
  });
  if (clientSecret === undefined) return undefined;
  const secret = clientSecret.trim() === "" ? {} : { clientSecret: clientSecret.trim() };
  return { clientId: clientId.trim(), ...secret };
}

/** Until the person has signed in, or gives it up. */
async function signIn({ id, name }: ProviderInfo, client: OwnClient, { server }: Citewell): Promise<boolean> {
  return vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: vscode.l10n.t("Signing in to {0}: finish it in the browser", name),
      cancellable: true,
    },
    async (progress, token) => {
      const onEvent = (event: SignInEvent) => {
        const report = (message: string) => progress.report({ message });
        showResult(event, { name, report }).catch(showError);
      };
      const { connected } = await server.request("signIn", { provider: id, ...client }, { token, onEvent });
      return connected;
    },
  );
}

async function showResult(
  event: SignInEvent,
  { name, report }: { name: string; report(message: string): void },
): Promise<void> {
  switch (event.type) {
    case "open":
      if (event.code !== undefined) {
        report(vscode.l10n.t("the code is {0}", event.code));
        if (!(await offerCode(event.code, name))) return;
      }
      await openPage(event.url);
      return;
    case "run":
      report(vscode.l10n.t("finish it in the terminal"));
      runInTerminal(event.command);
      return;
    case "done":
      return;
  }
}

async function offerCode(code: string, name: string): Promise<boolean> {
  const copyAndOpen = vscode.l10n.t("Copy and Open Page");
  const chosen = await vscode.window.showInformationMessage(
    vscode.l10n.t("Type this code on the page of {0}: {1}", name, code),
    { modal: true },
    copyAndOpen,
  );
  if (chosen !== copyAndOpen) return false;
  await vscode.env.clipboard.writeText(code);
  return true;
}

async function openPage(url: string): Promise<void> {
  const redirect = new URL(url).searchParams.get("redirect_uri");
  // The browser is on the person's computer, the server that it comes back to may be on another: this opens the way.
  if (redirect !== null && vscode.env.remoteName !== undefined)
    await vscode.env.asExternalUri(vscode.Uri.parse(redirect));
  await vscode.env.openExternal(vscode.Uri.parse(url));
}

/** Another program's own sign-in: the person sees it, and runs it with Enter. */
function runInTerminal(command: readonly string[]): void {
  const terminal = vscode.window.createTerminal({ name: command[0] ?? "citewell" });
  terminal.show();
  terminal.sendText(command.join(" "), false);
}
