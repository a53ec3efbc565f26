import type { SetModel } from "../protocol/config.ts";
import type { Output } from "../protocol/operations.ts";
import { chooseModel } from "../providers/choose-model.ts";
import type { Call, Context } from "./context.ts";

/** @throws as `chooseModel`; ConfigInvalid, LockTimeout, StorageFailed */
export async function setModel(
  { provider, model, providerOptions }: SetModel,
  { tenant: { config, configuration, providers } }: Context,
  { signal }: Call,
): Promise<Output<"setModel">> {
  const configured = config.providerOptions[provider];
  const hint = await chooseModel({ provider, model, providerOptions }, { providers, configured, signal });
  const { savedTo } = await configuration.setModel({ provider, model, providerOptions });
  const options = (await configuration.reload()).providerOptions[provider];
  return {
    provider,
    model,
    ...(options === undefined ? {} : { providerOptions: options }),
    savedTo,
    ...(hint === undefined ? {} : { hint }),
  };
}
