import type { ConfigLocation } from "../../server/config/config.ts";
import { readNetworkSettings } from "../../server/config/environment.ts";
import { CitewellError, toCitewellError } from "../../server/errors.ts";
import { silentLog } from "../../server/lib/log.ts";
import { createLocalApp } from "../../server/local-app.ts";
import { errorKinds } from "../../server/protocol/error-tags.ts";
import { kindOf } from "../../server/protocol/kinds/kinds.ts";
import { isPackage } from "../../server/protocol/kinds/package.ts";
import type { ResourceSpec } from "../../server/protocol/resource.ts";
import { ecosystems } from "../../server/resources/packages/ecosystems.ts";
import { requirePublished } from "../../server/resources/packages/packages.ts";
import { configLocation } from "../app/open-app.ts";
import type { CommonOptions } from "../definitions/global-options.ts";
import { styleOf } from "../output/answer-view.ts";
import { createStatusLine } from "../output/status-line.ts";
import { cleanLine } from "../render/clean.ts";
import type { Terminal } from "../terminal.ts";

/** How long a user waits for a slow host, in milliseconds. */
const checkMs = 3000;

/**
 * Lines for standard error about a resource that was just added. Only a terminal gets them: a script's `add` needs no
 * network. A fault is a warning, because hosts hide private repositories and packages until one signs in.
 */
export async function checkAdded(
  spec: ResourceSpec,
  options: CommonOptions,
  terminal: Terminal,
): Promise<readonly string[]> {
  if (!terminal.stderr.isTTY || options.quiet === true || options.json === true) return [];
  const style = styleOf(terminal.stderr, options, terminal);
  const status = createStatusLine(terminal.stderr, style);
  const late = AbortSignal.timeout(checkMs);
  if (kindOf(spec).isFetched) status.show(cleanLine(`checking ${kindOf(spec).origin(spec)}`, style));
  try {
    const signal = AbortSignal.any([terminal.signal, late]);
    await requireRemote(spec, { location: configLocation(terminal), signal });
    return [];
  } catch (error) {
    terminal.signal.throwIfAborted();
    if (late.aborted) return [`note: it was not checked: no answer within ${checkMs / 1000} seconds`];
    return describeFault(toCitewellError(error), spec).map((line) => cleanLine(line, style));
  } finally {
    status.clear();
  }
}

/** What is missing is a warning; where nobody could say, a note. */
export function describeFault({ tag, message, hint }: CitewellError, { name }: Pick<ResourceSpec, "name">): string[] {
  if (errorKinds[tag] !== "resource-missing") return [`note: it was not checked: ${message}`];
  return [`warning: ${message}`, `hint: ${hint === undefined ? "" : `${hint}; `}to undo: citewell remove ${name}`];
}

/**
 * Asks the host or the registry whether it has a resource; what is on disk is not looked for.
 * @throws RepositoryNotFound, BranchNotFound, PackageNotFound, VersionNotFound, and what contacting the host throws
 */
export async function requireRemote(spec: ResourceSpec, { location, signal }: RemoteOptions): Promise<void> {
  if (spec.type === "git") return requireBranch(spec, { location, signal });
  if (!isPackage(spec)) return;
  const network = () => readNetworkSettings(location);
  return requirePublished(ecosystems[spec.type], spec, { location, network, signal });
}

interface RemoteOptions {
  location: ConfigLocation;
  signal: AbortSignal;
}

async function requireBranch(
  spec: Extract<ResourceSpec, { type: "git" }>,
  { location, signal }: RemoteOptions,
): Promise<void> {
  const { url, branch } = spec;
  await using app = createLocalApp({ location, log: silentLog, isReadOnly: true });
  const { main, branches, tags } = await app.listBranches({ url }, { signal });
  const isCommit = kindOf(spec).isPinned?.(spec) === true;
  if (isCommit || branches.includes(branch) || tags.includes(branch)) return;
  const hint = main === null ? {} : { hint: `its main branch is ${main}: add it with -b ${main}` };
  throw new CitewellError("BranchNotFound", `${url} has no branch or tag ${JSON.stringify(branch)}`, hint);
}
