import { Router } from "express";
import { toCitewellError } from "../../errors.ts";
import { InviteForm, type Member, NewInviteForm, Role } from "../../protocol/hosted-accounts.ts";
import { invitationMail } from "../mail/texts.ts";
import { requireMailAttempt } from "../tenants/accounts.ts";
import { createInvite, inviteDays } from "../tenants/links.ts";
import { changeRole, listMembers, removeMember } from "../tenants/members.ts";
import { copyable } from "./copyable.ts";
import { actionButton, emptyForm, field, type Form, parseForm, requireFields } from "./forms.ts";
import { type Html, html } from "./html.ts";
import { layout } from "./layout.ts";
import {
  asRead,
  byGreatest,
  byText,
  listForm,
  listLinks,
  listRows,
  type Orders,
  type Shown,
  shownBy,
  wholeList,
} from "./listing.ts";
import type { PageServices } from "./pages.ts";
import { noticeOf, redirect, sendHtml } from "./respond.ts";
import { attemptFailure } from "./sign-in.ts";
import { table } from "./table.ts";
import { timeOf } from "./time.ts";
import type { Visitor } from "./visitors.ts";

const notices = {
  changed: "The role is changed.",
  removed: "The member is removed.",
  repeated: "The form was sent twice, and made one invitation. Its link was shown once; if it is lost, invite again.",
};

const roleWords: Readonly<Record<Role, string>> = {
  member: "member: asks, and sees the resources",
  admin: "admin: also manages keys and resources, and reads the audit log",
  owner: "owner: also manages members",
};

/** The members of a project: invite, change the role, remove. */
export function memberPages({ store, visitors, addressFor, mailer, ownOrigin }: PageServices): Router {
  const router = Router();
  const isMailed = mailer !== undefined;

  router.get("/p/:project/members", async (request, response) => {
    const visitor = await visitors.requireMember(request, "member");
    const members = await listMembers(store, visitor.membership.project);
    const shown = shownBy(request);
    sendHtml(response, membersPage({ visitor, members, shown, isMailed, notice: noticeOf(request, notices) }));
  });

  router.post("/p/:project/members/invite", async (request, response) => {
    const visitor = await visitors.requireMember(request, "owner");
    const { project } = visitor.membership;
    const { data, form } = parseForm(NewInviteForm, request);
    if (data === undefined) {
      const members = await listMembers(store, project);
      return sendHtml(response, membersPage({ visitor, members, isMailed, form }), 400);
    }
    const { role, email, form: sent } = data;
    const to = mailer && email;
    if (to !== undefined) await requireMailAttempt(store, to);
    const options = { role, actor: `account:${visitor.account.id}`, form: sent };
    const made = await createInvite(store, project, options).catch(unlessRepeated);
    if (made === undefined) return redirect(response, `/p/${project.name}/members?done=repeated`);
    const { token, expiresAt } = made;
    const members = await listMembers(store, project);
    const link = `${to === undefined ? addressFor(request) : ownOrigin()}/link/${token}`;
    const invite = { link, role, expiresAt };
    if (mailer === undefined || to === undefined) {
      return sendHtml(response, membersPage({ visitor, members, isMailed, invite }));
    }
    const by = visitor.account.email;
    try {
      await mailer.send(invitationMail({ to, link, project: project.name, role, by, days: inviteDays }));
    } catch (error) {
      const { status, message } = attemptFailure(error);
      const failed = { ...form, errors: { email: message } };
      return sendHtml(response, membersPage({ visitor, members, isMailed, invite, form: failed }), status);
    }
    const notice = `The invitation was sent to ${to}. Its link works once, within ${inviteDays} days.`;
    return sendHtml(response, membersPage({ visitor, members, isMailed, notice }));
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

/** A page that is loaded again sends its form again. @throws any other error */
function unlessRepeated(error: unknown): undefined {
  if (toCitewellError(error).tag !== "AlreadyExists") throw error;
}

interface MembersPageOptions {
  visitor: Visitor;
  members: readonly Member[];
  shown?: Shown;
  /** Whether invitations can be sent by mail. */
  isMailed: boolean;
  invite?: { link: string; role: Role; expiresAt: string };
  form?: Form;
  notice?: string | undefined;
}

const orders: Orders<Member> = {
  oldest: asRead("Oldest"),
  address: { label: "Address", compare: byText(({ email }) => email) },
  role: { label: "Role", compare: byGreatest(({ role }) => Role.options.indexOf(role)) },
  newest: { label: "Newest", compare: byGreatest(({ createdAt }) => createdAt) },
};

function membersPage({
  visitor,
  members,
  shown = wholeList,
  isMailed,
  invite,
  form = emptyForm,
  notice,
}: MembersPageOptions): Html {
  const { account, membership } = visitor;
  const path = `/p/${membership.project.name}/members`;
  const isOwner = membership.role === "owner";
  const listed = listRows(members, { shown, textOf: ({ email, role }) => `${email} ${role}`, orders });
  const main = html`<h1>Members</h1>
    ${invite !== undefined && inviteNote(invite)} ${listForm(listed, { path, label: "Find members" })}
    ${table({
      caption: "Members of this project",
      columns: ["E-mail address", "Role", "Since", ...(isOwner ? ["Actions"] : [])],
      rows: listed.rows.map((member) => [
        html`<span class="long">${member.email}</span>`,
        isOwner ? roleForm(member, path) : member.role,
        timeOf(member.createdAt, ""),
        ...(isOwner
          ? [
              actionButton({
                action: `${path}/${member.account}/remove`,
                label: "Remove",
                of: member.email,
                warning: "They can no longer open the project. Keys that they know stay valid.",
              }),
            ]
          : []),
      ]),
      empty: "No member is like that.",
    })}
    ${listLinks(listed, path)}
    ${
      isOwner &&
      html`<h2>Invite</h2>
        <form method="post" action="${path}/invite" class="card">
          <input type="hidden" name="form" value="${crypto.randomUUID()}" />
          <div class="field">
            <label for="role">Role</label
            ><select id="role" name="role">
              ${roleOptions(Role.catch("member").parse(form.values["role"]), roleWords)}
            </select>
          </div>
          ${
            isMailed &&
            field(form, {
              name: "email",
              label: "E-mail address",
              type: "email",
              hint: "Where to send the link. Without one it is shown here, for you to send.",
              isOptional: true,
            })
          }
          <button>${isMailed ? "Invite" : "Make a link"}</button>
        </form>
        <p class="muted">
          When an owner is removed or gets a lower role, all open invitations become invalid. Keys stay valid: rotate
          those that a removed member knows.
        </p>`
    }`;
  return layout({ title: "Members", main, account, membership, current: path, notice, script: "list.js" });
}

function inviteNote({ link, role, expiresAt }: { link: string; role: Role; expiresAt: string }): Html {
  return html`<div class="notice">
    <p>Send this link to the new ${role}. It works once, expires ${timeOf(expiresAt, "")} and is shown only now.</p>
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
