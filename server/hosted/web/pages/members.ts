import { Router } from "express";
import { InviteForm, type Member, Role } from "../../../protocol/hosted.ts";
import { createInvite } from "../../tenants/links.ts";
import { changeRole, listMembers, removeMember } from "../../tenants/members.ts";
import { copyable } from "./copyable.ts";
import { actionButton, requireFields } from "./forms.ts";
import { type Html, html } from "./html.ts";
import { layout } from "./layout.ts";
import type { PageServices } from "./pages.ts";
import { noticeOf, redirect, sendHtml } from "./respond.ts";
import { table } from "./table.ts";
import { timeOf } from "./time.ts";
import type { Visitor } from "./visitors.ts";

const notices = { changed: "The role is changed.", removed: "The member is removed." };

const roleWords: Readonly<Record<Role, string>> = {
  member: "member: asks, and sees the resources",
  admin: "admin: also manages keys and resources, and reads the audit log",
  owner: "owner: also manages members",
};

/** The members of a project: invite, change the role, remove. */
export function memberPages({ store, visitors, addressFor }: PageServices): Router {
  const router = Router();

  router.get("/p/:project/members", async (request, response) => {
    const visitor = await visitors.requireMember(request, "member");
    const members = await listMembers(store, visitor.membership.project);
    sendHtml(response, membersPage({ visitor, members, notice: noticeOf(request, notices) }));
  });

  router.post("/p/:project/members/invite", async (request, response) => {
    const visitor = await visitors.requireMember(request, "owner");
    const { project } = visitor.membership;
    const { role } = requireFields(InviteForm, request);
    const { token, expiresAt } = await createInvite(store, project, { role, actor: `account:${visitor.account.id}` });
    const link = `${addressFor(request)}/link/${token}`;
    const members = await listMembers(store, project);
    sendHtml(response, membersPage({ visitor, members, invite: { link, role, expiresAt } }));
  });

  router.post("/p/:project/members/:account/role", async (request, response) => {
    const { account: actor, membership } = await visitors.requireMember(request, "owner");
    const { role } = requireFields(InviteForm, request);
    const { account } = request.params;
    await changeRole(store, { project: membership.project, account, role, actor: `account:${actor.id}` });
    redirect(response, `/p/${membership.project.name}/members?done=changed`);
  });

  router.post("/p/:project/members/:account/remove", async (request, response) => {
    const { account: actor, membership } = await visitors.requireMember(request, "owner");
    const { account } = request.params;
    await removeMember(store, { project: membership.project, account, actor: `account:${actor.id}` });
    redirect(response, account === actor.id ? "/" : `/p/${membership.project.name}/members?done=removed`);
  });

  return router;
}

interface MembersPageOptions {
  visitor: Visitor;
  members: readonly Member[];
  invite?: { link: string; role: Role; expiresAt: string };
  notice?: string | undefined;
}

function membersPage({ visitor, members, invite, notice }: MembersPageOptions): Html {
  const { account, membership } = visitor;
  const path = `/p/${membership.project.name}/members`;
  const isOwner = membership.role === "owner";
  const main = html`<h1>Members</h1>
    ${invite !== undefined && inviteNote(invite)}
    ${table({
      caption: "Members of this project",
      columns: ["E-mail address", "Role", "Since", ...(isOwner ? ["Actions"] : [])],
      rows: members.map((member) => [
        member.email,
        isOwner ? roleForm(member, path) : member.role,
        timeOf(member.createdAt, ""),
        ...(isOwner
          ? [actionButton({ action: `${path}/${member.account}/remove`, label: "Remove", of: member.email })]
          : []),
      ]),
      empty: "There are no members.",
    })}
    ${
      isOwner &&
      html`<h2>Invite</h2>
        <form method="post" action="${path}/invite" class="card">
          <div class="field">
            <label for="role">Role</label
            ><select id="role" name="role">
              ${roleOptions("member", roleWords)}
            </select>
          </div>
          <button>Make a link</button>
        </form>`
    }`;
  return layout({ title: "Members", main, account, membership, current: path, notice, script: "copy.js" });
}

function inviteNote({ link, role, expiresAt }: { link: string; role: Role; expiresAt: string }): Html {
  return html`<div class="notice">
    <p>Send this link to the new ${role}. It works once, ends ${timeOf(expiresAt, "")} and is shown only now.</p>
    ${copyable({ id: "link", label: "The link", text: link })}
  </div>`;
}

function roleForm({ account, email, role }: Member, path: string): Html {
  return html`<form method="post" action="${path}/${account}/role" class="actions">
    <select name="role" aria-label="Role of ${email}">
      ${roleOptions(role, { member: "member", admin: "admin", owner: "owner" })}
    </select>
    <button class="quiet" aria-label="Change the role of ${email}">Change</button>
  </form>`;
}

function roleOptions(chosen: Role, words: Readonly<Record<Role, string>>): Html[] {
  return Role.options.map(
    (role) => html`<option value="${role}" ${role === chosen && html` selected`}>${words[role]}</option>`,
  );
}
