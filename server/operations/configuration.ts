import type { ConfigFiles, ConfigSummary } from "../protocol/config.ts";
import type { Nothing, Output } from "../protocol/operations.ts";
import { reportSettings } from "../protocol/settings.ts";
import type { Context } from "./context.ts";

/** The configuration in force, without secrets. */
export async function getConfig(_input: Nothing, { tenant: { config } }: Context): Promise<ConfigSummary> {
  return {
    ...reportSettings(config),
    dataDirectory: config.dataDirectory,
    resourcesDirectory: config.resourcesDirectory,
    resourceCount: config.resources.length,
    sources: config.sources,
  };
}

/** Works while the configuration cannot be read: the user opens the file to correct it. */
export async function getConfigFiles(_input: Nothing, { tenant }: Context): Promise<ConfigFiles> {
  return tenant.configuration.files();
}

/** @throws ConfigInvalid */
export async function reloadConfig(_input: Nothing, { tenant }: Context): Promise<Output<"reloadConfig">> {
  const { resources } = await tenant.configuration.reload();
  return { ok: true, resources: resources.map(({ name }) => name) };
}
