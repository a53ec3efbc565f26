import { findNodeAtLocation, format, type FormattingOptions, parseTree } from "jsonc-parser";
import path from "node:path";
import { CitewellError } from "../../errors.ts";
import type { Log } from "../../lib/log.ts";
import type { ConfigFix, ConfigLanguage, OfferedFix, Span } from "../../protocol/config-language.ts";
import type { ConfigLocation } from "../config.ts";
import { removeChildAt } from "../edit.ts";
import { checkConfig } from "../parse.ts";
import { configPaths } from "../paths.ts";
import { type AppLookups, createLookups } from "./app-lookups.ts";
import { complete } from "./complete.ts";
import { diagnose, isAboutBranch } from "./diagnose.ts";
import { branchFix, schemaFix } from "./fixes.ts";
import { hover } from "./hover.ts";
import { findLenses } from "./lenses.ts";
import type { Lookups, Place } from "./lookups.ts";
import { editBetween, resourceNodes, spanOf, touches } from "./nodes.ts";
import { outline } from "./outline.ts";
import { createConfigSchema } from "./schema.ts";
import { keyAt } from "./secrets.ts";

/** The dependencies of `createConfigLanguage`. */
export interface ConfigLanguageOptions {
  /** Serves the look-ups. */
  app: AppLookups;
  location: ConfigLocation;
  log: Log;
}

/** The editor features for the configuration files of one user on one machine. */
export function createConfigLanguage({ app, location, log }: ConfigLanguageOptions): ConfigLanguage {
  const schema = createConfigSchema();
  const lookupsFor = createLookups({ app, log });
  const { globalFile, projectFile } = configPaths(location);

  function placeOf(file: string): Place {
    const level = file === globalFile ? "global" : file === projectFile ? "project" : "other";
    return { level, folder: path.dirname(file), homeDirectory: location.homeDirectory };
  }

  return {
    diagnose: ({ path: file, text }, { signal }) =>
      diagnose(text, { lookups: lookupsFor(signal), place: placeOf(file) }),
    async fixes({ path: file, text }, span, { signal }) {
      const lookups = lookupsFor(signal);
      const findings = await diagnose(text, { lookups, place: placeOf(file) });
      const offered = findings
        .filter((finding) => touches(finding, span))
        .flatMap((finding) => finding.fixes.map((fix): OfferedFix => ({ ...fix, finding })));
      if (findings.some(({ code }) => code === "syntax")) return offered;
      return [...offered, ...(await branchFixes(text, span, lookups)), ...schemaFixes(text)];
    },
    async storeKey({ text }, place, { signal }) {
      const { tree, isObject } = checkConfig(text);
      const node = tree && findNodeAtLocation(tree, place.path);
      const key = isObject ? keyAt(tree, place) : undefined;
      if (node === undefined || key === undefined) {
        throw new CitewellError("InvalidRequest", "the key is no longer at that place");
      }
      await app.connectProvider({ provider: place.provider, key }, { signal });
      return [editBetween(text, removeChildAt(text, place.path.slice(0, -1), node.offset))];
    },
    complete: ({ path: file, text }, offset, { signal }) =>
      complete(text, offset, { schema, lookups: lookupsFor(signal), place: placeOf(file) }),
    hover: ({ text }, offset, { signal }) => hover(text, offset, { schema, lookups: lookupsFor(signal) }),
    async lenses({ path: file, text }, { signal }) {
      return placeOf(file).level === "other" ? [] : findLenses(text, lookupsFor(signal));
    },
    outline,
    format: (text, { span, ...options }) => {
      const range = span === undefined ? undefined : { offset: span.start, length: span.end - span.start };
      const style: FormattingOptions = { ...options, insertFinalNewline: span === undefined, keepLines: true };
      return format(text, range, style).map(({ content, ...at }) => ({ ...spanOf(at), text: content }));
    },
  };
}

/** Fixes that select an existing branch for a resource whose own does not exist. */
async function branchFixes(text: string, span: Span, lookups: Lookups): Promise<ConfigFix[]> {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  const [touched] = resourceNodes(tree).filter(({ node }) => touches(spanOf(node), span));
  if (touched?.type !== "git") return [];
  const listings = await lookups.resources();
  const failed = listings.find(
    ({ name, failure }) => name === touched.name && failure !== null && isAboutBranch(failure),
  );
  if (failed?.url == null) return [];
  const { main, branches } = await lookups.branches(failed.url);
  const others = branches.filter((branch) => branch !== main && branch !== failed.branch).slice(0, 5);
  const offered = [...(main === null ? [] : [main]), ...others];
  return offered.map((branch) => branchFix(text, touched.index, branch, { isPreferred: branch === main }));
}

function schemaFixes(text: string): ConfigFix[] {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  const fix = tree && schemaFix(text, tree);
  return fix === undefined ? [] : [fix];
}
