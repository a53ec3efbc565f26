import type { ErrorTag } from "../server/protocol/error-tags.ts";

/** A command of ours, by the last part of its id, that leads on from a failure. */
export type WayOut =
  | "addResource"
  | "chooseModel"
  | "chooseResources"
  | "clear"
  | "connectProvider"
  | "openConfig"
  | "restartServer"
  | "showServerLog";

/** The tags of docs/errors.md whose way out is a command, the likeliest first; in the chat and in notifications. */
const byTag: Partial<Record<ErrorTag, readonly WayOut[]>> = {
  ConfigInvalid: ["openConfig"],
  CredentialsInvalid: ["connectProvider", "chooseModel", "showServerLog"],
  Internal: ["showServerLog"],
  ModelNotFound: ["chooseModel"],
  PathNotFound: ["chooseResources"],
  PriceUnknown: ["chooseModel"],
  ProviderFailed: ["chooseModel", "showServerLog"],
  ProviderNotConnected: ["connectProvider", "chooseModel"],
  ProviderNotFound: ["chooseModel"],
  ProviderRateLimited: ["chooseModel"],
  ProviderRefused: ["connectProvider", "chooseModel"],
  RegistryFailed: ["showServerLog"],
  RepositoryFailed: ["showServerLog"],
  ResourceNotFound: ["chooseResources", "addResource"],
  ServerFailed: ["restartServer", "showServerLog"],
  ServerUnreachable: ["chooseModel", "showServerLog"],
  StorageFailed: ["clear", "showServerLog"],
};

export function waysOut(tag: string): readonly WayOut[] {
  return Object.entries(byTag).find(([known]) => known === tag)?.[1] ?? [];
}
