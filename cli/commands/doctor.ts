import path from "node:path";
import { createLocalProviders } from "../../server/local-app.ts";
import { type Config, loadConfig } from "../../server/config/config.ts";
import { type NetworkSettings, readNetworkSettings } from "../../server/config/environment.ts";
import { configPaths } from "../../server/config/paths.ts";
import type { CommonOptions } from "../definitions/global-options.ts";
import { checkAgents } from "../doctor/agents.ts";
import { type Finding, fromError, ok, warn } from "../doctor/check.ts";
import { checkDisk, checkGit, checkLocks, checkNode, checkWritable } from "../doctor/machine.ts";
import { checkCertificates, checkProxy, checkRegistry, checkServer } from "../doctor/network.ts";
import { checkPackages } from "../doctor/packages.ts";
import { checkProviders } from "../doctor/providers.ts";
import { exitCodes } from "../output/exit-codes.ts";
import { jsonText } from "../output/json.ts";
import { configLocation, openLog } from "../app/open-app.ts";
import { detectStyle } from "../render/capabilities.ts";
import { cleanLine } from "../render/clean.ts";
import { glyphsOf, type Mark, paint, type Style } from "../render/style.ts";
import { type Terminal, write } from "../terminal.ts";

/** Options of `citewell doctor`. */
export interface DoctorOptions extends CommonOptions {
  deep?: boolean;
}

/** Looks at all that questions depend on. Each line is ok, warn or fail, with what to do; secrets are not shown. */
export async function doctor(options: DoctorOptions, terminal: Terminal): Promise<number> {
  const { stdout, env, platform } = terminal;
  const findings = await examine(options, terminal);
  const isHealthy = findings.every(({ state }) => state !== "fail");
  const flags = { color: options.color };
  const style = detectStyle({ isTTY: stdout.isTTY, columns: stdout.columns, env, platform, flags });
  const text = findings.map((finding) => render(finding, style)).join("");
  await write(stdout, options.json === true ? jsonText({ ok: isHealthy, checks: findings }) : text);
  return isHealthy ? exitCodes.ok : exitCodes.failure;
}

async function examine(options: DoctorOptions, terminal: Terminal): Promise<Finding[]> {
  const { signal } = terminal;
  const location = configLocation(terminal);
  const { globalFile, dataDirectory: usualDirectory } = configPaths(location);
  const network = await readNetworkSettings(location);
  const loaded = await loadConfig(location, { isReadOnly: true }).catch((error: unknown) => ({ error }));
  const config = "error" in loaded ? undefined : loaded;
  const dataDirectory = config?.dataDirectory ?? usualDirectory;
  const resourcesDirectory = config?.resourcesDirectory ?? path.join(usualDirectory, "resources");
  const [git, configDirectory, data, disk, registry, server, locks, packages, providers, agents] = await Promise.all([
    checkGit(location, signal),
    checkWritable("configuration directory", path.dirname(globalFile)),
    checkWritable("data directory", dataDirectory),
    checkDisk(dataDirectory),
    checkRegistry(location, { network, signal }),
    checkServer(dataDirectory, { signal }),
    checkLocks(location, resourcesDirectory),
    checkPackages(location),
    config === undefined ? Promise.resolve([]) : checkAllProviders(config, network, options, terminal),
    checkAgents(terminal),
  ]);
  const configuration =
    "error" in loaded ? fromError("configuration", loaded.error, "fail", "correct the file") : describe(loaded);
  const connection = [checkProxy(network), checkCertificates(network), registry, server];
  return [
    checkNode(),
    git,
    configDirectory,
    data,
    disk,
    configuration,
    ...connection,
    locks,
    ...packages,
    ...providers,
    ...agents,
  ];
}

function describe({ warnings, projectFile, globalFile }: Config): Finding {
  const files = [projectFile, globalFile].filter(({ exists }) => exists).map((file) => file.path);
  if (warnings.length > 0) return warn("configuration", warnings.join("; "), "correct or remove what is not known");
  return ok("configuration", files.length === 0 ? "no file; using defaults" : files.join(", "));
}

async function checkAllProviders(
  config: Config,
  network: NetworkSettings,
  options: DoctorOptions,
  terminal: Terminal,
): Promise<Finding[]> {
  const location = configLocation(terminal);
  const providers = createLocalProviders(config, { location, network, log: openLog(terminal, options) });
  return checkProviders({ providers, config, isDeep: options.deep === true, signal: terminal.signal });
}

function render({ check, state, message, fix }: Finding, style: Style): string {
  const { good, doubtful, bad, arrow } = glyphsOf(style);
  const looks: Record<Finding["state"], { icon: string; mark: Mark }> = {
    ok: { icon: good, mark: "good" },
    warn: { icon: doubtful, mark: "warning" },
    fail: { icon: bad, mark: "bad" },
  };
  const { icon, mark } = looks[state];
  const head = paint(`${icon} ${state.padEnd(4)}`, [mark], style);
  const line = `${head}  ${cleanLine(`${check}: ${message}`, style)}\n`;
  return fix === undefined ? line : `${line}        ${arrow} ${cleanLine(fix, style)}\n`;
}
