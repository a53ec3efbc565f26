import * as vscode from "vscode";
import type { ProviderInfo } from "../../../server/protocol/provider.ts";
import type { ModelList } from "../../../server/protocol/sign-in.ts";
import type { Citewell } from "../../context.ts";
import { type Answered, answerOf, type Step } from "../resources/steps.ts";
import { connect } from "./connect.ts";
import type { Draft } from "./draft.ts";

type LocalServer = NonNullable<ModelList["servers"]>[number];

interface ProviderItem extends vscode.QuickPickItem {
  chosen?: { provider: ProviderInfo; server?: LocalServer; isNewServer?: boolean };
}

/**
 * Lets the user pick a provider: available ones first, then servers found on this computer, which are added to the open
 * list, then those that need a key or a sign-in.
 */
export function askProvider(citewell: Citewell): Step<Draft> {
  const { server } = citewell;
  return async (draft, place) => {
    const [{ all, connected }, config] = await Promise.all([
      server.request("listProviders", {}),
      server.request("getConfig", {}),
    ]);
    const cancellation = new vscode.CancellationTokenSource();
    const pick = vscode.window.createQuickPick<ProviderItem>();
    Object.assign(pick, {
      ...place,
      placeholder: vscode.l10n.t("Which provider should answer?"),
      matchOnDescription: true,
      matchOnDetail: true,
    });
    const show = (servers: readonly LocalServer[]) => {
      pick.items = itemsOf(all, { connected, servers, current: config.provider });
      pick.activeItems = pick.items
        .filter(({ chosen }) => chosen?.provider.id === (draft.provider ?? config.provider))
        .slice(0, 1);
    };
    show([]);
    void findServers(citewell, pick, { token: cancellation.token, show });
    const answered = await answerOf<NonNullable<ProviderItem["chosen"]>>(pick, (answer) =>
      pick.onDidAccept(() => {
        const { chosen } = pick.activeItems[0] ?? {};
        if (chosen !== undefined) answer({ type: "next", draft: chosen });
      }),
    );
    cancellation.cancel();
    cancellation.dispose();
    if (answered.type !== "next") return answered;
    const { provider, server: found, isNewServer } = answered.draft;
    const needsConnection = !connected.includes(provider.id) && !provider.auth.includes("none");
    // Cancelling a later step returns to this one.
    if (needsConnection && !(await connect(provider, citewell))) return { type: "back" };
    return next(provider, { found, isNewServer });
  };
}

/** Adds to the list what runs on this computer; without that, the rest of it is as good. */
async function findServers(
  { server, log }: Citewell,
  pick: vscode.QuickPick<ProviderItem>,
  { token, show }: { token: vscode.CancellationToken; show(servers: readonly LocalServer[]): void },
): Promise<void> {
  pick.busy = true;
  try {
    const { servers = [] } = await server.request("listModels", { provider: "openai-compat" }, { token });
    if (servers.length > 0) show(servers);
  } catch (error) {
    log.debug(`no local servers: ${String(error)}`);
  } finally {
    pick.busy = false;
  }
}

function next(
  { id, models }: ProviderInfo,
  { found, isNewServer }: { found: LocalServer | undefined; isNewServer: boolean | undefined },
): Answered<Draft> {
  return {
    type: "next",
    draft: {
      provider: id,
      // There is nothing to choose: it has one.
      ...(id === "builtin" ? { model: Object.keys(models)[0] } : {}),
      ...(found === undefined ? {} : { server: { baseURL: found.baseURL, name: found.name } }),
      ...(isNewServer === true ? { isNewServer } : {}),
    },
  };
}

function itemsOf(
  all: readonly ProviderInfo[],
  { connected, servers, current }: { connected: readonly string[]; servers: readonly LocalServer[]; current: string },
): ProviderItem[] {
  const toItem = (provider: ProviderInfo): ProviderItem => ({
    label: provider.name,
    description: provider.id === current ? vscode.l10n.t("in use") : "",
    detail: detailOf(provider),
    chosen: { provider },
  });
  const compatible = all.find(({ id }) => id === "openai-compat");
  const others = all.filter(({ id }) => !connected.includes(id) && id !== "openai-compat" && id !== "vscode");
  return [
    separator(vscode.l10n.t("Ready")),
    ...all.filter(({ id }) => connected.includes(id)).map(toItem),
    ...(servers.length === 0 ? [] : [separator(vscode.l10n.t("Found on this computer"))]),
    ...servers.flatMap((server): ProviderItem[] =>
      compatible === undefined
        ? []
        : [{ label: server.name, detail: server.baseURL, chosen: { provider: compatible, server } }],
    ),
    separator(vscode.l10n.t("To be connected")),
    ...others.map(toItem),
    ...(compatible === undefined
      ? []
      : [
          {
            label: vscode.l10n.t("Another compatible server…"),
            detail: vscode.l10n.t("Anything that speaks the OpenAI format: you give its address"),
            chosen: { provider: compatible, isNewServer: true },
          },
        ]),
  ];
}

/** What it takes to ask it. */
export function detailOf({ id, auth, envVar, takesClient }: ProviderInfo): string {
  if (id === "builtin") return vscode.l10n.t("Extracts from the sources, without explanation: no key and no network");
  if (id === "vscode")
    return vscode.l10n.t("The models of this editor; it asks you once whether Citewell may use them");
  const [isKey, isSignIn] = [auth.includes("api"), auth.includes("oauth")];
  if (isKey && isSignIn) return vscode.l10n.t("With a key or a sign-in");
  if (isSignIn) return vscode.l10n.t("With a sign-in");
  if (!isKey && takesClient === true) return vscode.l10n.t("With opencode, or an OAuth client of your own");
  return envVar === undefined ? vscode.l10n.t("With a key") : vscode.l10n.t("With a key; {0} works, too", envVar);
}

function separator(label: string): ProviderItem {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}
