import type { Input, Nothing, Output } from "../protocol/operations.ts";
import type { ProviderList } from "../protocol/provider.ts";
import type { ModelList, SignInEvent } from "../protocol/sign-in.ts";
import { listModels as listModelsOf } from "../providers/list-models.ts";
import { listProviders as listAll } from "../providers/list-providers.ts";
import { signIn as signInTo } from "../providers/sign-in.ts";
import type { Call, Context } from "./context.ts";

/** All providers, and those that are connected. */
export async function listProviders(_input: Nothing, { tenant }: Context): Promise<ProviderList> {
  return listAll(tenant.providers);
}

/** @throws as `Providers.listModels` */
export async function listModels(
  request: Input<"listModels">,
  { tenant: { providers } }: Context,
  { signal }: Call,
): Promise<ModelList> {
  return listModelsOf(request, { providers, signal });
}

/** @throws as `Providers.connect` */
export async function connectProvider(
  { provider, key, baseURL }: Input<"connectProvider">,
  { tenant }: Context,
): Promise<Output<"connectProvider">> {
  await tenant.providers.connect(provider, { method: "api", key, baseURL });
  return { provider, connected: true };
}

/** @throws as `Providers.connect` and `Providers.keepClient` */
export async function* signIn(
  { provider, clientId, clientSecret }: Input<"signIn">,
  { tenant: { providers } }: Context,
  { signal }: Call,
): AsyncGenerator<SignInEvent> {
  if (clientId !== undefined) await providers.keepClient(provider, { clientId, clientSecret });
  yield* signInTo(provider, { providers, signal });
}

/** @throws as `Providers.disconnect` */
export async function disconnectProvider(
  { provider }: Input<"disconnectProvider">,
  { tenant }: Context,
): Promise<Output<"disconnectProvider">> {
  const { removed, variable } = await tenant.providers.disconnect(provider);
  return variable === undefined ? { removed } : { removed, variable };
}
