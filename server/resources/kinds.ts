import type { KindName, OneOff } from "../protocol/kinds/kinds.ts";
import type { ResourceSpec } from "../protocol/resource.ts";
import { openGitKind } from "./git/git-kind.ts";
import type { KindServices, KindSource } from "./kind-source.ts";
import { openLocalKind } from "./local/local-kind.ts";
import { openPackageKind } from "./packages/package-kind.ts";

/** A source accepts only targets of its own kind. */
export type AnySource = KindSource<ResourceSpec, OneOff>;

/** Opens and refreshes resources of a kind that `protocol/kinds/` lists. */
export function openKind(type: KindName, services: KindServices): AnySource {
  if (type === "git") return openGitKind(services);
  if (type === "local") return openLocalKind(services);
  return openPackageKind(type)(services);
}
