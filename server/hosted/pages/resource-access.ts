import { type Request, Router } from "express";
import { CitewellError } from "../../errors.ts";
import type { ApiKey } from "../../protocol/api-keys.ts";
import type { Project } from "../../protocol/hosted.ts";
import { AccessForm, type Member } from "../../protocol/hosted-accounts.ts";
import { quoteValue } from "../../protocol/validation.ts";
import { listKeys } from "../tenants/keys.ts";
import { listMembers } from "../tenants/members.ts";
import { changeAccess, type Limited, listLimited } from "../tenants/resource-access.ts";
import { listResourceNames } from "../tenants/resource-names.ts";
import { fieldOf, requireFields, valuesOf } from "./forms.ts";
import { filterField } from "./filter.ts";
import { type Html, html } from "./html.ts";
import { layout } from "./layout.ts";
import type { PageServices } from "./pages.ts";
import { redirect, sendHtml } from "./respond.ts";
import type { Visitor } from "./visitors.ts";

/** Who may use a resource: all members, or chosen ones. */
export function resourceAccessPages({ store, visitors }: PageServices): Router {
  const router = Router();
  const read = async ({ id }: Pick<Project, "id">, resource: string) => {
    const [names, limited] = await store.asProject(id, (queries) =>
      Promise.all([listResourceNames(queries, id), listLimited(queries, id)]),
    );
    if (!names.includes(resource))
      throw new CitewellError("ResourceNotFound", `no resource named ${quoteValue(resource)}`);
    const keys = (await listKeys(store, { id })).filter(({ revokedAt }) => revokedAt === null);
    return { limited: limited.get(resource), members: await listMembers(store, { id }), keys };
  };

  router.get("/p/:project/resources/access", async (request, response) => {
    const visitor = await visitors.requireMember(request, "admin");
    const resource = resourceIn(request);
    if (resource === "") return redirect(response, `/p/${visitor.membership.project.name}/resources`);
    return sendHtml(response, accessPage({ visitor, resource, ...(await read(visitor.membership.project, resource)) }));
  });

  router.post("/p/:project/resources/access", async (request, response) => {
    const { account, membership } = await visitors.requireMember(request, "admin");
    const { access } = requireFields(AccessForm, request);
    await changeAccess(store, membership.project, {
      resource: fieldOf(request, "resource"),
      accounts: access === "all" ? null : valuesOf(request, "members"),
      actor: `account:${account.id}`,
    });
    redirect(response, `/p/${membership.project.name}/resources?done=access`);
  });

  return router;
}

function resourceIn({ query }: Request<object>): string {
  const resource = query["resource"];
  return typeof resource === "string" ? resource : "";
}

interface AccessPageOptions {
  visitor: Visitor;
  resource: string;
  /** Undefined: all members may use it. */
  limited: Limited | undefined;
  members: readonly Member[];
  keys: readonly ApiKey[];
}

function accessPage({ visitor, resource, limited, members, keys }: AccessPageOptions): Html {
  const { account, membership } = visitor;
  const path = `/p/${membership.project.name}/resources`;
  const choices = members
    .filter(({ role }) => role === "member")
    .map(
      (member) =>
        html`<label
          ><input
            type="checkbox"
            name="members"
            value="${member.account}"
            ${limited?.accounts.includes(member.account) === true && html` checked`}
          />
          <span>${member.email}</span></label
        >`,
    );
  const named = keys.filter(({ resources }) => resources?.includes(resource)).map(({ name }) => name);
  const form = html`<form method="post" action="${path}/access" class="card">
    <input type="hidden" name="resource" value="${resource}" />
    <fieldset>
      <legend>Members</legend>
      ${accessChoice("all", "All members", limited === undefined)}
      ${accessChoice("some", "Only the members who are ticked", limited !== undefined)}
      ${filterField({ list: "members", label: "Filter the members" }, choices.length)}
      <div class="choices" id="members">${choices}</div>
      ${choices.length === 0 && html`<p class="hint">All members of this project are owners or admins.</p>`}
    </fieldset>
    <div class="actions">
      <button>Save</button>
      <a href="${path}">Back to the resources</a>
    </div>
  </form>`;
  const main = html`<h1>Who may use <bdi>${resource}</bdi></h1>
    <p>
      For everyone else, a limited resource does not exist: not in lists, searches, answers and shared conversations.
      Owners and admins may use all resources.
    </p>
    <p>
      A key for all resources cannot use a limited one; a key that names it can.
      ${named.length > 0 && html`These keys name it: ${named.join(", ")}. Revoke a key whose users may not use it.`}
    </p>
    ${limited?.isOfHost === true ? decidedByHost(limited, { members, base: `/p/${membership.project.name}` }) : form}`;
  return layout({ title: `Who may use ${resource}`, main, account, membership, script: "list.js" });
}

function decidedByHost({ accounts }: Limited, { members, base }: { members: readonly Member[]; base: string }): Html {
  const names = members.filter(({ account }) => accounts.includes(account)).map(({ email }) => html`<li>${email}</li>`);
  return html`<p>
      Its git host decides which members may use it; an admin can change that on the page
      <a href="${base}/tokens#rights">Repository tokens</a>. Members prove who they are at the host on the page of their
      account here.
    </p>
    ${
      names.length === 0
        ? html`<p>No member is known to read it at the host now.</p>`
        : html`<ul>
            ${names}
          </ul>`
    }`;
}

/** One of the two choices of `AccessForm`. */
export function accessChoice(value: AccessForm["access"], label: string, isChosen: boolean): Html {
  return html`<label class="choice"
    ><input type="radio" name="access" value="${value}" ${isChosen && html` checked`} /> <span>${label}</span></label
  >`;
}
