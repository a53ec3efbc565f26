import { kindOf } from "../../server/protocol/kinds/kinds.ts";
import type { ResourceListing } from "../../server/protocol/resource.ts";
import { stateOf } from "../output/resource-state.ts";
import { choose, type PickerItem, type PromptContext } from "./prompt-context.ts";
import { runProgram } from "./run-program.ts";

/** Lists the resources with their state and origin; one that is chosen can be asked about, refreshed or removed. */
export async function pickResource(context: PromptContext, numbers: string): Promise<void> {
  const { resources } = await context.app.listResources({});
  context.resources = resources;
  if (resources.length === 0) return context.notify("no resource is configured: /add adds one", "warning");
  const items = resources.map((resource) => ({
    label: resource.name,
    detail: `${resource.type}, ${stateOf(resource, Date.now())}, ${kindOf(resource).origin(resource)}`,
    choose: (next: string) =>
      choose(context, { title: resource.name, items: actionsOn(context, resource), numbers: next }),
  }));
  await choose(context, { title: "resources", items, numbers });
}

function actionsOn(context: PromptContext, resource: ResourceListing): PickerItem[] {
  const { name } = resource;
  return [
    { label: "ask about it", detail: `@${name}`, choose: () => context.mention(name) },
    ...(context.server === undefined && kindOf(resource).isFetched
      ? [{ label: "refresh", detail: "fetch its newest revision", choose: () => runProgram("refresh")(context, name) }]
      : []),
    { label: "remove", detail: "from the configuration", choose: () => runProgram("remove")(context, name) },
  ];
}
