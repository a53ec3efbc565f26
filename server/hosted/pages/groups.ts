import { Router } from "express";
import { toCitewellError } from "../../errors.ts";
import { type Group, listGroups, saveGroup } from "../tenants/groups.ts";
import { actionButton, field, fieldOf, type Form, formErrors } from "./forms.ts";
import { type Html, html } from "./html.ts";
import { layout } from "./layout.ts";
import type { PageServices } from "./pages.ts";
import { noticeOf, redirect, sendHtml, sentence } from "./respond.ts";
import { table } from "./table.ts";
import type { Visitor } from "./visitors.ts";

const notices = { saved: "The group is saved.", removed: "The group is removed. Its resources stay." };

/** The groups of a project: those of followed accounts, and those that admins make. */
export function groupPages({ store, visitors }: PageServices): Router {
  const router = Router();
  const groupsOf = ({ membership: { project } }: Visitor) =>
    store.asProject(project.id, (queries) => listGroups(queries, project.id));
  const servicesFor = ({ account, membership: { project } }: Visitor) => ({
    store,
    project,
    actor: `account:${account.id}`,
  });

  router.get("/p/:project/groups", async (request, response) => {
    const visitor = await visitors.requireMember(request, "admin");
    const { edit } = request.query;
    const groups = await groupsOf(visitor);
    const edited = groups.find(({ name, isFollowed }) => name === edit && !isFollowed);
    const values = edited === undefined ? {} : { group: edited.name, members: edited.resources.join("\n") };
    sendHtml(
      response,
      groupsPage({ visitor, groups, form: { values, errors: {} }, notice: noticeOf(request, notices) }),
    );
  });

  router.post("/p/:project/groups", async (request, response) => {
    const visitor = await visitors.requireMember(request, "admin");
    const [name, members] = [fieldOf(request, "group").trim(), fieldOf(request, "members")];
    const resources = members.split(/[\s,]+/).filter((one) => one !== "");
    try {
      await saveGroup(servicesFor(visitor), { name, resources });
    } catch (error) {
      const { tag, message, hint } = toCitewellError(error);
      if (tag !== "InvalidRequest" && tag !== "ResourceNotFound") throw error;
      const errors = { "": `${sentence(message)}${hint === undefined ? "" : ` ${sentence(hint)}`}` };
      const form = { values: { group: name, members }, errors };
      return sendHtml(response, groupsPage({ visitor, groups: await groupsOf(visitor), form }), 400);
    }
    const done = resources.length === 0 ? "removed" : "saved";
    return redirect(response, `/p/${visitor.membership.project.name}/groups?done=${done}`);
  });

  return router;
}

interface GroupsPageOptions {
  visitor: Visitor;
  groups: readonly Group[];
  form: Form;
  notice?: string | undefined;
}

function groupsPage({ visitor: { account, membership }, groups, form, notice }: GroupsPageOptions): Html {
  const project = `/p/${membership.project.name}`;
  const path = `${project}/groups`;
  const main = html`<h1>Groups</h1>
    <p>
      Name a group in a question to ask about all its resources: @backend. The resources of a
      <a href="${project}/followed">followed organization</a> are a group.
    </p>
    ${table({
      caption: "Groups of this project",
      columns: ["Group", "Resources", "Actions"],
      rows: groups.map(({ name, resources, isFollowed }) => [
        html`<a href="${project}/resources?group=${encodeURIComponent(name)}">@${name}</a>`,
        String(resources.length),
        isFollowed
          ? "of a followed account"
          : html`<div class="actions">
              <a href="${path}?edit=${encodeURIComponent(name)}#edit" aria-label="Edit @${name}">Edit</a>
              ${actionButton({
                action: path,
                label: "Remove",
                of: `@${name}`,
                fields: { group: name, members: "" },
                warning: "Questions can no longer name it. Its resources stay.",
              })}
            </div>`,
      ]),
      empty: "There are no groups.",
    })}
    <h2 id="edit">Make or change a group</h2>
    <form method="post" action="${path}#edit" class="card">
      ${formErrors(form)} ${field(form, { name: "group", label: "Name", hint: "As in @backend." })}
      <div class="field">
        <label for="members">Resources</label>
        <p class="hint" id="members-hint">Their names, with spaces or line breaks between.</p>
        <textarea id="members" name="members" required aria-describedby="members-hint">
${form.values["members"] ?? ""}</textarea>
      </div>
      <button>Save</button>
    </form>
    <p><a href="${project}/resources">Back to the resources</a></p>`;
  return layout({ title: "Groups", main, account, membership, current: `${project}/resources`, notice });
}
