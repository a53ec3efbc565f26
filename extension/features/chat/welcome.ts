import type { ErrorBody } from "../../../server/protocol/error.ts";
import { errorKinds } from "../../../server/protocol/error-tags.ts";
import type { ResourceListing } from "../../../server/protocol/resource.ts";
import type { Welcome } from "../../webview/messages.ts";

/** Facts about the server, as far as they are loaded. */
export interface Facts {
  model: { provider: string; model: string; label: string };
  /** Whether the provider can be asked now. */
  isConnected: boolean;
  providerName: string;
  resources: readonly KnownResource[];
}

interface KnownResource extends Pick<ResourceListing, "name" | "type" | "origin"> {
  detail: string;
  isOnDisk: boolean;
}

export interface Circumstances {
  /** Undefined until the server has answered. */
  facts: Facts | undefined;
  /** Why the server has no answer. */
  failure: ErrorBody | undefined;
  isTrusted: boolean;
  /** Whether the open folders are on no disk that the server can read. */
  isVirtual: boolean;
  /** How the last answer failed, if it did. */
  lastError: ErrorBody | undefined;
}

/** What prevents the first answer; the first that applies. */
export function welcomeOf({ facts, failure, isTrusted, isVirtual, lastError }: Circumstances): {
  welcome: Welcome;
  problem?: ErrorBody;
} {
  if (failure !== undefined) {
    return { welcome: failure.tag === "ConfigInvalid" ? "config-invalid" : "server-failed", problem: failure };
  }
  if (facts === undefined) return { welcome: "ready" };
  if (isVirtual) return { welcome: "virtual" };
  if (facts.resources.length === 0) return { welcome: isTrusted ? "no-resources" : "untrusted" };
  if (!facts.isConnected) return { welcome: "no-key", problem: notConnected(facts) };
  const isOffline = lastError !== undefined && isOfNetwork(lastError) && !facts.resources.some((one) => one.isOnDisk);
  return isOffline ? { welcome: "offline", problem: lastError } : { welcome: "ready" };
}

/** Sentences of the server's kind: they stand beside those that it sends. */
function notConnected({ model, providerName }: Facts): ErrorBody {
  return {
    tag: "ProviderNotConnected",
    error: `the provider ${providerName} (${model.provider}) is not connected`,
    hint: "connect it, or choose a model that needs no key",
  };
}

function isOfNetwork({ tag }: ErrorBody): boolean {
  if (!isTag(tag)) return false;
  const networkTags = ["RepositoryFailed", "RegistryFailed", "ServerUnreachable", "ProviderFailed"];
  return errorKinds[tag].endsWith("-timeout") || networkTags.includes(tag);
}

function isTag(tag: string): tag is keyof typeof errorKinds {
  return Object.hasOwn(errorKinds, tag);
}
