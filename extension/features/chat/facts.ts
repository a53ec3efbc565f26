import * as vscode from "vscode";
import { kindOf } from "../../../server/protocol/kinds/kinds.ts";
import { type Mentionable, mentionableAmong } from "../../../server/protocol/mentions.ts";
import type { ErrorBody } from "../../../server/protocol/error.ts";
import type { Server } from "../../context.ts";
import { errorBodyOf } from "../../../client/error-body.ts";
import { pathExists } from "./path-exists.ts";
import type { Facts } from "./welcome.ts";

/** The last known resources and model, or why there are none. */
export interface ServerFacts {
  readonly facts: Facts | undefined;
  readonly failure: ErrorBody | undefined;
  /** Asks anew, and starts the server for it. Never rejects. */
  load(): Promise<void>;
  /** What a question can mention. Never rejects. */
  mentionable(): Promise<Mentionable>;
}

/** Creates the store of what the chat knows of the server: its configuration, resources and providers. */
export function createServerFacts(server: Server): ServerFacts {
  let facts: Facts | undefined;
  let failure: ErrorBody | undefined;
  let loading: Promise<void> | undefined;

  async function load(): Promise<void> {
    try {
      facts = await loadFacts(server);
      failure = undefined;
    } catch (error) {
      failure = errorBodyOf(error);
    } finally {
      loading = undefined;
    }
  }

  return {
    get facts() {
      return facts;
    },
    get failure() {
      return failure;
    },
    load: () => (loading ??= load()),
    async mentionable() {
      if (facts === undefined) await (loading ??= load());
      return mentionableAmong(facts?.resources ?? [], { exists: pathExists });
    },
  };
}

async function loadFacts(server: Server): Promise<Facts> {
  const [config, providers, { resources }] = await Promise.all([
    server.request("getConfig", {}),
    server.request("listProviders", {}),
    server.request("listResources", {}),
    // Fails while a file is broken; the others then go by the last valid configuration.
    server.request("reloadConfig", {}),
  ]);
  const { provider, model } = config;
  const info = providers.all.find(({ id }) => id === provider);
  return {
    model: { provider, model, label: labelOf({ provider, model, name: info?.models[model]?.name }) },
    isConnected: providers.connected.includes(provider),
    providerName: info?.name ?? provider,
    resources: resources.map((resource) => ({
      name: resource.name,
      type: resource.type,
      origin: resource.origin,
      detail: kindOf(resource)
        .origin(resource)
        .replace(/^https:\/\/(?:www\.)?/, ""),
      isOnDisk: resource.state === "ready" || resource.state === "stale",
    })),
  };
}

function labelOf({ provider, model, name }: { provider: string; model: string; name: string | undefined }): string {
  return provider === "builtin" ? vscode.l10n.t("Extracts") : (name ?? model);
}
