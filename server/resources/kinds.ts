import type { KindName, OneOff } from "../protocol/kinds/kinds.ts";
import type { ResourceSpec } from "../protocol/resource.ts";
import { openGitKind } from "./git/git-kind.ts";
import type { KindServices, KindSource } from "./kind-source.ts";
import { openLocalKind } from "./local/local-kind.ts";
import { openPackageKind } from "./packages/package-kind.ts";

type Of<Union, Type> = Extract<Union, { type: Type }>;

/** Opens and refreshes resources of every kind that `protocol/kinds/` lists. */
export const kindSources = {
  git: openGitKind,
  local: openLocalKind,
  npm: openPackageKind("npm"),
  pypi: openPackageKind("pypi"),
  cargo: openPackageKind("cargo"),
  maven: openPackageKind("maven"),
  golang: openPackageKind("golang"),
} satisfies {
  [Type in KindName]: (services: KindServices) => KindSource<Of<ResourceSpec, Type>, Of<OneOff, Type>>;
};
