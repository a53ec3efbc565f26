import { version } from "../../package.json";
import { type Config, loadConfig } from "../../server/config/config.ts";
import type { ConfigSummary } from "../../server/protocol/config.ts";
import { reportSettings, settingLabel, settingNames } from "../../server/protocol/settings.ts";
import { exitCodes } from "../output/exit-codes.ts";
import { jsonText } from "../output/json.ts";
import { isPublished, type LatestVersion, readLatestVersion } from "../latest-version.ts";
import { configLocation, connectApp } from "../app/open-app.ts";
import type { ServerOptions } from "../definitions/global-options.ts";
import { formatTable } from "../render/table.ts";
import { type Terminal, write } from "../terminal.ts";

/** The model, the file that chooses it, whether it is available, and the configuration files. */
export async function status(options: ServerOptions, terminal: Terminal): Promise<number> {
  if (options.server !== undefined) return serverStatus(options, terminal);
  const location = configLocation(terminal);
  const config = await loadConfig(location, { isReadOnly: true });
  await using app = await connectApp(terminal, { ...options, isReadOnly: true });
  const { connected } = await app.listProviders({}, { signal: terminal.signal });
  const isConnected = connected.includes(config.provider);
  const { dataDirectory } = config;
  const latest = isPublished
    ? await readLatestVersion({ location, dataDirectory, isQuiet: options.json === true })
    : undefined;
  const facts = { config, isConnected, latest };
  await write(terminal.stdout, options.json === true ? jsonText(toDocument(facts)) : toText(facts));
  return exitCodes.ok;
}

/** The same of a server: what is in force there. Which files say so is its own affair. */
async function serverStatus(options: ServerOptions, terminal: Terminal): Promise<number> {
  await using app = await connectApp(terminal, options);
  const { signal } = terminal;
  const [config, { connected }, { resources }] = await Promise.all([
    app.getConfig({}, { signal }),
    app.listProviders({}, { signal }),
    app.listResources({}, { signal }),
  ]);
  const isConnected = connected.includes(config.provider);
  const names = resources.map(({ name }) => name);
  const document = { server: options.server, ...describeConfig(config, isConnected), resources: names };
  const rows = [
    ["server", options.server ?? ""],
    ...modelRows(config, isConnected),
    ["resources", names.length === 0 ? "no resources" : names.join(", ")],
    ...settingRows(config),
  ];
  await write(terminal.stdout, options.json === true ? jsonText(document) : formatTable(rows));
  return exitCodes.ok;
}

interface Facts {
  config: Config;
  isConnected: boolean;
  /** Undefined where this program is not published, and so has no newer version. */
  latest: LatestVersion | undefined;
}

function toDocument({ config, isConnected, latest }: Facts) {
  const { globalFile, projectFile, warnings } = config;
  return {
    ...describeConfig(config, isConnected),
    global: globalFile,
    project: projectFile,
    version: { installed: version, latest: latest?.version ?? null },
    warnings,
  };
}

function describeConfig(config: Omit<ConfigSummary, "resourceCount">, isConnected: boolean) {
  const { sources, dataDirectory } = config;
  return { ...reportSettings(config), sources, isConnected, dataDirectory };
}

function toText({ config, isConnected, latest }: Facts): string {
  const { globalFile, projectFile } = config;
  const rows = [
    ...modelRows(config, isConnected),
    ["project", describeFile(projectFile)],
    ["global", describeFile(globalFile)],
    ...settingRows(config),
    [
      "version",
      latest === undefined
        ? `${version}, latest unknown (not published)`
        : `${version}, latest ${latest.version ?? "unknown"}`,
    ],
  ];
  const hint = latest?.isNewer === true ? "\nA newer version is out: npm install --global citewell@latest\n" : "";
  return formatTable(rows) + hint;
}

function modelRows(
  { provider, model, sources }: Pick<ConfigSummary, "provider" | "model" | "sources">,
  isConnected: boolean,
): string[][] {
  return [
    ["provider", `${provider} (${sources.provider})${isConnected ? ", connected" : ", not connected"}`],
    ["model", `${model} (${sources.model})`],
  ];
}

/** Each setting with the file that it comes from. Servers of earlier versions report fewer settings. */
function settingRows(config: Omit<ConfigSummary, "resourceCount">): string[][] {
  const { sources, dataDirectory } = config;
  const limits = settingNames.filter((name) => name !== "provider" && name !== "model");
  return [
    ...limits.flatMap((name) => {
      const source = sources[name];
      return source === undefined ? [] : [[settingLabel(name), `${config[name] ?? "no limit"} (${source})`]];
    }),
    ["data", sources.dataDirectory === undefined ? dataDirectory : `${dataDirectory} (${sources.dataDirectory})`],
  ];
}

function describeFile({ path, exists, resources }: Config["globalFile"]): string {
  const names = resources.length === 0 ? "no resources" : resources.join(", ");
  return exists ? `${path}: ${names}` : `${path} (not there)${resources.length === 0 ? "" : `: ${names}`}`;
}
