import { hostKindNames } from "../../protocol/host-kinds.ts";
import { showInvisibleInLine } from "../../protocol/invisible.ts";
import type { HostRights } from "../host-rights/places.ts";
import { answerHours } from "../host-rights/refresh.ts";
import { actionButton, field, type Form, formErrors, hostKindField } from "./forms.ts";
import { type Html, html } from "./html.ts";
import { table } from "./table.ts";
import { timeOf } from "./time.ts";

/** Who decides, for the page of a project's tokens. */
export function rightsSection(rights: readonly HostRights[], { base, form }: { base: string; form: Form }): Html {
  return html`<h2 id="rights">Rights from the git host</h2>
    <p>
      The host of an organization can decide which members use its repositories: those who may read them there, and have
      proved who they are there on the page of their account. Owners and admins may use all.
    </p>
    ${table({
      caption: "Accounts whose host decides",
      columns: ["Account", "State", "Actions"],
      rows: rights.map(({ id, kind, host, account, ...state }) => [
        html`<span class="long">${host}/${account}</span>
          <p class="hint">${hostKindNames[kind]}</p>`,
        stateOf(state),
        actionButton({
          action: `${base}/rights/${id}/end`,
          label: "Let admins decide",
          of: `who may use ${host}/${account}`,
          warning: "Its repositories are for owners and admins only, until an admin chooses members for them.",
        }),
      ]),
      empty: "Admins decide who may use each resource.",
    })}
    <form method="post" action="${base}/rights#rights" class="card">
      ${formErrors(form)} ${hostKindField(form, "rights-kind")}
      ${field(form, {
        name: "place",
        id: "rights-place",
        label: "Organization, group, workspace or person",
        hint: "As in github.com/acme or gitlab.example.com/acme/team. A token of this project for it, or a connected GitHub account, must be able to see who may read its repositories. What admins chose for them is lost.",
      })}
      <button>Let the host decide</button>
    </form>`;
}

function stateOf({ checkedAt, failure }: Pick<HostRights, "checkedAt" | "failure">): Html {
  const checked = checkedAt === null ? html`not checked yet` : html`checked ${timeOf(checkedAt, "")}`;
  if (failure === null) return checked;
  return html`${checked}.
    <span class="bad long"
      >${showInvisibleInLine(failure)} What the host answered before counts for ${answerHours} hours.</span
    >`;
}
