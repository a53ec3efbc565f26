import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import type { Account, AccountCredentials } from "../../protocol/hosted-accounts.ts";
import { Project } from "../../protocol/hosted.ts";
import { Role } from "../../protocol/hosted-accounts.ts";
import { firstRow, Timestamp } from "../store/rows.ts";
import type { Queries, Store } from "../store/store.ts";
import { type AccountServices, checkPassword, createAccount, hasAccount, requireLinkAttempt } from "./accounts.ts";
import { recordAudit } from "./audit.ts";
import { addMember } from "./members.ts";
import { generateToken, hashToken } from "./secret-token.ts";

/** `owner`: made by the operator. `invite`: by an owner. */
const LinkPurpose = z.enum(["owner", "invite"]);

/** What a link is good for. */
export interface Link {
  project: Pick<Project, "id" | "name">;
  role: Role;
  expiresAt: string;
}

const ownerLinkMinutes = 15;
/** The number of days that an invitation works. */
export const inviteDays = 3;

/** What a new link is shown with, once. */
export interface NewLink {
  token: string;
  expiresAt: string;
}

/** The path of the page that a link opens. */
export function linkPath(token: string): string {
  return `/link/${token}`;
}

/** A link that makes its first visitor an owner, for 15 minutes. */
export async function createOwnerLink(store: Store, project: Pick<Project, "id">): Promise<NewLink> {
  return createLink(store, project, { purpose: "owner", role: "owner", minutes: ownerLinkMinutes, actor: "operator" });
}

/**
 * A link that makes its first visitor a member, for three days.
 * @param options.form the id of the form that was sent: one makes one invitation
 * @throws AlreadyExists (of this form)
 */
export async function createInvite(
  store: Store,
  project: Pick<Project, "id">,
  options: { role: Role; actor: string; form?: string | undefined },
): Promise<NewLink> {
  return createLink(store, project, { purpose: "invite", minutes: inviteDays * 24 * 60, ...options });
}

async function createLink(
  store: Store,
  { id: project }: Pick<Project, "id">,
  { purpose, role, minutes, actor, form }: LinkOptions,
): Promise<NewLink> {
  const token = generateToken();
  const { expiresAt } = await store.tx(async (queries) => {
    const result = await queries.query(
      `insert into link (hash, purpose, project, role, expires_at, form)
       values ($1, $2, $3, $4, now() + make_interval(mins => $5::int), $6)
       on conflict (form) do nothing returning expires_at as "expiresAt"`,
      [hashToken(token), purpose, project, role, minutes, form ?? null],
    );
    const row = firstRow(z.object({ expiresAt: Timestamp }), result);
    if (row === undefined) throw new CitewellError("AlreadyExists", "this form has made an invitation already");
    await recordAudit(queries, project, { actor, action: "link.created", target: purpose, detail: { role } });
    return row;
  });
  return { token, expiresAt };
}

interface LinkOptions extends Pick<Link, "role"> {
  purpose: z.infer<typeof LinkPurpose>;
  minutes: number;
  actor: string;
  form?: string | undefined;
}

const LinkRow = z.object({
  project: Project.shape.id,
  name: Project.shape.name,
  role: Role,
  expiresAt: Timestamp,
});

/** What a link is good for; looking does not use it. @throws LinkInvalid (unknown, used or expired) */
export async function findLink({ query }: Pick<Queries, "query">, token: string): Promise<Link> {
  const result = await query(
    `select l.project, p.name, l.role, l.expires_at as "expiresAt"
     from link l join project p on p.id = l.project
     where l.hash = $1 and l.used_at is null and l.expires_at > now()`,
    [hashToken(token)],
  );
  const row = firstRow(LinkRow, result);
  if (row === undefined) throw invalidLink();
  const { project: id, name, ...link } = row;
  return { ...link, project: { id, name } };
}

/**
 * Joins the project of a link with an account: a new one, or one whose password is right. A link belongs to one
 * project, so it must not set the password of an existing account, which may be a member of others. It is used up only
 * if joining succeeds.
 * @param address the client's network address
 * @throws LinkInvalid, SignInFailed, LimitReached
 */
export async function acceptLink(
  services: AccountServices,
  token: string,
  { credentials, address }: { credentials: AccountCredentials; address: string },
): Promise<Account> {
  const { store, passwords } = services;
  const { email, password } = credentials;
  await findLink(store, token);
  await requireLinkAttempt(store, token);
  if (await hasAccount(store, email)) {
    const account = await checkPassword(services, credentials, { address });
    return joinByLink(store, token, account);
  }
  const stored = await passwords.hash(password);
  return store.tx(async (queries) => {
    const { project, role } = await takeLink(queries, token);
    const account = await createAccount(queries, email, stored);
    await addMember(queries, project, { account: account.id, role });
    return account;
  });
}

/** Joins the project of a link with an account that is signed in. @throws LinkInvalid */
export async function joinByLink(store: Store, token: string, account: Account): Promise<Account> {
  return store.tx(async (queries) => {
    const { project, role } = await takeLink(queries, token);
    await addMember(queries, project, { account: account.id, role });
    return account;
  });
}

/** Of two visitors at once, one gets the link. @throws LinkInvalid */
export async function takeLink(
  { query }: Queries,
  token: string,
): Promise<Pick<z.infer<typeof LinkRow>, "project" | "role">> {
  const result = await query(
    `update link set used_at = now() where hash = $1 and used_at is null and expires_at > now()
     returning project, role`,
    [hashToken(token)],
  );
  const row = firstRow(LinkRow.pick({ project: true, role: true }), result);
  if (row === undefined) throw invalidLink();
  return row;
}

function invalidLink(): CitewellError {
  return new CitewellError("LinkInvalid", "this link has expired or was already used", {
    hint: "ask an owner of the project for another one; the operator runs: citewell hosted owner-link",
  });
}
