import type { NpmReference, NpmResource } from "../../protocol/kinds/npm.ts";
import { type KindServices, type KindSource, namedTarget, policyOf } from "../kind-source.ts";
import { createNpm, type NpmSpec } from "./npm.ts";

/** Opens and refreshes resources of the kind `npm`; server/protocol/kinds/npm.ts has their shapes. */
export function openNpmKind({
  location,
  network,
  store,
  revisions,
  refresh,
  now,
}: KindServices): KindSource<NpmResource, NpmReference> {
  const npm = createNpm({ location, network, store, revisions, now });
  return {
    open: (target, options) => npm.open(toNpmSpec(target), { ...policyOf(target, refresh), ...options }),
    openStored: (target, options) =>
      npm.openStored(toNpmSpec(target), { isOneOff: policyOf(target, refresh).isOneOff, ...options }),
    refresh: (spec, options) => npm.refresh(toNpmSpec(spec), options),
    describe: (spec, { signal }) => npm.describe(toNpmSpec(spec), { ...policyOf(spec, refresh), signal }),
  };
}

function toNpmSpec(target: NpmResource | NpmReference): NpmSpec {
  return { ...namedTarget(target), package: target.package, version: target.version };
}
