import { loadConfig, type ConfigLocation } from "./config.ts";

export async function readResourceNames(location: ConfigLocation): Promise<string[]> {
  return (await loadConfig(location)).resources.map(({ name }) => name);
}
