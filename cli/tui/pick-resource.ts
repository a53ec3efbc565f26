import { kindOf } from "../../server/protocol/kinds/kinds.ts";
import type { ResourceListing } from "../../server/protocol/resource.ts";
import { stateOf } from "../output/resource-state.ts";
import { insert } from "./draft.ts";
import { openPicker } from "./pick.ts";
import { inNormalScreen } from "./normal-screen.ts";
import { notify, type PickerItem, type Tui } from "./tui-context.ts";

/** Lists the resources with their state and age; one that is chosen can be asked about, refreshed or removed. */
export async function pickResource(tui: Tui): Promise<void> {
  const { resources } = await tui.app.listResources({});
  tui.resources = resources;
  if (resources.length === 0) return notify(tui, "no resource is configured: /add adds one", "warning");
  openPicker(
    tui,
    "resources",
    resources.map((resource) => ({
      label: resource.name,
      detail: `${resource.type}, ${stateOf(resource, Date.now())}`,
      choose: () => openPicker(tui, resource.name, actionsOn(tui, resource)),
    })),
  );
}

function actionsOn(tui: Tui, resource: ResourceListing): PickerItem[] {
  const { name } = resource;
  return [
    { label: "ask about it", detail: `@${name}`, choose: () => mention(tui, name) },
    ...(tui.server === undefined && kindOf(resource).isFetched
      ? [{ label: "refresh", detail: "fetch its newest revision", choose: () => inNormalScreen("refresh")(tui, name) }]
      : []),
    { label: "remove", detail: "from the configuration", choose: () => inNormalScreen("remove")(tui, name) },
  ];
}

function mention(tui: Tui, name: string): void {
  tui.state = { ...tui.state, draft: insert(tui.state.draft, `@${name} `), focus: "prompt" };
}
