import { version } from "../../package.json";
import { type Config, loadConfig } from "../../server/config/config.ts";
import { exitCodes } from "../exit-codes.ts";
import { jsonText } from "../json.ts";
import { type LatestVersion, readLatestVersion } from "../latest-version.ts";
import { configLocation, openApp, openLog } from "../open-app.ts";
import type { CommonOptions } from "../program.ts";
import { formatTable } from "../render/table.ts";
import { type Terminal, write } from "../terminal.ts";

/** Who answers, which file says so, whether it can be asked now, and what is configured where. */
export async function status(options: CommonOptions, terminal: Terminal): Promise<number> {
  const location = configLocation(terminal);
  const config = await loadConfig(location);
  await using app = openApp(terminal, { log: openLog(terminal, options) });
  const { connected } = await app.listProviders({}, { signal: terminal.signal });
  const isConnected = connected.includes(config.provider);
  const latest = await readLatestVersion({
    location,
    dataDirectory: config.dataDirectory,
    isQuiet: options.json === true,
  });
  const facts = { config, isConnected, latest };
  await write(terminal.stdout, options.json === true ? jsonText(toDocument(facts)) : toText(facts));
  for (const warning of options.quiet === true ? [] : config.warnings)
    await write(terminal.stderr, `warning: ${warning}\n`);
  return exitCodes.ok;
}

interface Facts {
  config: Config;
  isConnected: boolean;
  latest: LatestVersion;
}

function toDocument({ config, isConnected, latest }: Facts) {
  const { provider, model, sources, dataDirectory, globalFile, projectFile, warnings } = config;
  return {
    provider,
    model,
    sources,
    isConnected,
    dataDirectory,
    global: globalFile,
    project: projectFile,
    version: { installed: version, latest: latest.version },
    warnings,
  };
}

function toText({ config, isConnected, latest }: Facts): string {
  const { provider, model, sources, dataDirectory, globalFile, projectFile } = config;
  const rows = [
    ["provider", `${provider} (${sources.provider})${isConnected ? ", connected" : ", not connected"}`],
    ["model", `${model} (${sources.model})`],
    ["project", describeFile(projectFile)],
    ["global", describeFile(globalFile)],
    ["data", dataDirectory],
    ["version", `${version}, latest ${latest.version ?? "unknown"}`],
  ];
  const hint = latest.isNewer ? `\nA newer version is out: npm install --global citewell@latest\n` : "";
  return formatTable(rows) + hint;
}

function describeFile({ path, exists, resources }: Config["globalFile"]): string {
  const names = resources.length === 0 ? "no resources" : resources.join(", ");
  return exists ? `${path}: ${names}` : `${path} (not there)${resources.length === 0 ? "" : `: ${names}`}`;
}
