import * as vscode from "vscode";
import type { ProviderInfo } from "../../../server/protocol/provider.ts";
import type { ModelList } from "../../../server/protocol/sign-in.ts";
import type { Citewell } from "../../context.ts";
import { answerOf, type Step } from "../resources/steps.ts";
import { connect } from "./connect.ts";
import type { Draft } from "./draft.ts";

type LocalServer = NonNullable<ModelList["servers"]>[number];

interface Chosen {
  provider: ProviderInfo;
  server?: LocalServer;
  isNewServer?: boolean;
}

interface ProviderItem extends vscode.QuickPickItem {
  chosen?: Chosen;
}

/** Product names by the names under which the server finds them. */
const productNames: Readonly<Record<string, string>> = { ollama: "Ollama", lmstudio: "LM Studio", vllm: "vLLM" };

interface ProviderOptions {
  /**
   * Whether the user wants to connect one: then those that need no connection are not listed, connected ones are again.
   */
  connects: boolean;
  stepCount(draft: Draft): number;
}

/**
 * Lets the user pick a provider: available ones first, then servers found on this computer, which are added to the open
 * list, then those that need a key or a sign-in.
 */
export function askProvider(citewell: Citewell, { connects, stepCount }: ProviderOptions): Step<Draft> {
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
      placeholder: connects
        ? vscode.l10n.t("Which provider should be connected?")
        : vscode.l10n.t("Which provider should answer?"),
      matchOnDescription: true,
      matchOnDetail: true,
    });
    const answerOfItem = (chosen: Chosen) => draftOf(chosen, { connected, connects });
    const show = (servers: readonly LocalServer[]) => {
      pick.items = itemsOf(all, { connected, servers, current: config.provider, connects });
      pick.activeItems = pick.items
        .filter(({ chosen }) => chosen?.provider.id === (draft.provider ?? config.provider))
        .slice(0, 1);
      showStepCount(pick.activeItems.length > 0 ? pick.activeItems : pick.items.filter(({ chosen }) => chosen));
    };
    const showStepCount = ([item]: readonly ProviderItem[]) => {
      if (item?.chosen !== undefined) pick.totalSteps = stepCount(answerOfItem(item.chosen));
    };
    pick.onDidChangeActive(showStepCount);
    show([]);
    void findServers(citewell, pick, { token: cancellation.token, show });
    const answered = await answerOf<Draft>(pick, (answer) =>
      pick.onDidAccept(() => {
        const { chosen } = pick.activeItems[0] ?? {};
        if (chosen !== undefined) answer({ type: "next", draft: answerOfItem(chosen) });
      }),
    );
    cancellation.cancel();
    cancellation.dispose();
    return answered;
  };
}

/** Asks for a key or a sign-in. A failure is shown, and the provider is asked for again. */
export function askConnection(citewell: Citewell): Step<Draft> {
  return async (draft, place) => {
    const { all } = await citewell.server.request("listProviders", {});
    const provider = all.find(({ id }) => id === draft.provider);
    if (provider === undefined || !(await connect(provider, citewell, place)))
      return { type: place.step > 1 ? "back" : "cancelled" };
    return { type: "next", draft };
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

function draftOf(
  { provider: { id, auth, models }, server, isNewServer }: Chosen,
  { connected, connects }: { connected: readonly string[]; connects: boolean },
): Draft {
  const isAtServer = server !== undefined || isNewServer === true;
  return {
    provider: id,
    // There is nothing to choose: it has one.
    ...(id === "builtin" ? { model: Object.keys(models)[0] } : {}),
    ...(server === undefined ? {} : { server: { baseURL: server.baseURL, name: server.name } }),
    ...(isNewServer === true ? { isNewServer } : {}),
    needsConnection: !isAtServer && (connects || (!connected.includes(id) && !auth.includes("none"))),
  };
}

function itemsOf(
  all: readonly ProviderInfo[],
  {
    connected,
    servers,
    current,
    connects,
  }: { connected: readonly string[]; servers: readonly LocalServer[]; current: string; connects: boolean },
): ProviderItem[] {
  const toItem = (provider: ProviderInfo): ProviderItem => ({
    label: provider.name,
    description: provider.id === current ? vscode.l10n.t("in use") : "",
    detail: detailOf(provider),
    chosen: { provider },
  });
  const compatible = all.find(({ id }) => id === "openai-compat");
  const others = all.filter(({ id }) => !connected.includes(id) && id !== "openai-compat" && id !== "vscode");
  const ready = all.filter(
    ({ id, auth }) =>
      connected.includes(id) && (!connects || (id !== "openai-compat" && auth.some((way) => way !== "none"))),
  );
  return [
    ...(ready.length === 0 ? [] : [separator(connects ? vscode.l10n.t("Connected") : vscode.l10n.t("Ready"))]),
    ...ready.map(toItem),
    ...(servers.length === 0 ? [] : [separator(vscode.l10n.t("Found on this computer"))]),
    ...servers.flatMap((server): ProviderItem[] =>
      compatible === undefined
        ? []
        : [
            {
              label: productNames[server.name] ?? server.name,
              detail: describeServer(server),
              chosen: { provider: compatible, server },
            },
          ],
    ),
    separator(vscode.l10n.t("To be connected")),
    ...others.map(toItem),
    ...(compatible === undefined
      ? []
      : [
          {
            label: vscode.l10n.t("Another compatible server…"),
            detail: vscode.l10n.t(
              "Ollama, LM Studio, llama.cpp, vLLM or anything that speaks the OpenAI format: you give its address",
            ),
            chosen: { provider: compatible, isNewServer: true },
          },
        ]),
  ];
}

/** What it takes to ask it. */
function detailOf({ id, auth, envVar, takesClient }: ProviderInfo): string {
  if (id === "builtin") return vscode.l10n.t("Extracts from the sources, without explanation: no key and no network");
  if (id === "vscode")
    return vscode.l10n.t("The models of this editor; it asks you once whether Citewell may use them");
  const [isKey, isSignIn] = [auth.includes("api"), auth.includes("oauth")];
  if (isKey && isSignIn) return vscode.l10n.t("With a key or a sign-in");
  if (isSignIn) return vscode.l10n.t("With a sign-in");
  if (!isKey && takesClient === true) return vscode.l10n.t("With opencode, or an OAuth client of your own");
  return envVar === undefined ? vscode.l10n.t("With a key") : vscode.l10n.t("With a key; {0} works, too", envVar);
}

function describeServer({ baseURL, models }: LocalServer): string {
  return models.length === 1
    ? vscode.l10n.t("{0} · 1 model", baseURL)
    : vscode.l10n.t("{0} · {1} models", baseURL, models.length);
}

function separator(label: string): ProviderItem {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}
