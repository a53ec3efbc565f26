import type { ProviderList } from "../protocol/provider.ts";
import type { Providers } from "./providers.ts";

/** All supported providers, and whether each is connected. */
export async function listProviders(providers: Pick<Providers, "list" | "isConnected">): Promise<ProviderList> {
  const all = await providers.list();
  const areConnected = await Promise.all(all.map(({ id }) => providers.isConnected(id)));
  return { all, connected: all.filter((_, index) => areConnected[index]).map(({ id }) => id) };
}
