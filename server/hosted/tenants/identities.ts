import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import { Account, AccountCredentials } from "../../protocol/hosted-accounts.ts";
import { allRows, firstRow, Timestamp } from "../store/rows.ts";
import type { Queries, Store } from "../store/store.ts";
import { hasAccount, insertAccount, saveAccount, unusablePassword } from "./accounts.ts";
import { recordAudit } from "./audit.ts";
import { joinByLink, takeLink } from "./links.ts";
import { addMember, recordForAccount } from "./members.ts";
import { findProject } from "./projects.ts";

/** A person as an OpenID Connect provider knows them. */
export interface Identity {
  issuer: string;
  subject: string;
  /** Undefined if the provider returns none. */
  email: string | undefined;
  isEmailVerified: boolean;
}

/** Which people need no invitation. */
export interface Admission {
  /** Whose verified addresses the operator trusts the provider for. */
  domains: readonly string[];
  /** The project that they join; without a name, the only one. */
  project?: string | undefined;
}

/** The account that an identity is connected to. */
export async function findByIdentity(
  { query }: Pick<Queries, "query">,
  { issuer, subject }: Pick<Identity, "issuer" | "subject">,
): Promise<Account | undefined> {
  const result = await query(
    `select a.id, a.email from identity i join account a on a.id = i.account where i.issuer = $1 and i.subject = $2`,
    [issuer, subject],
  );
  return firstRow(Account, result);
}

const IdentityRow = z.object({ issuer: z.string(), subject: z.string(), createdAt: Timestamp });

/** The identities of an account, oldest first. */
export async function identitiesOf(
  { query }: Pick<Queries, "query">,
  { id }: Pick<Account, "id">,
): Promise<z.infer<typeof IdentityRow>[]> {
  const result = await query(
    `select issuer, subject, created_at as "createdAt" from identity where account = $1 order by created_at, subject`,
    [id],
  );
  return allRows(IdentityRow, result);
}

/** Connects an identity to the account that is signed in. @throws SignInFailed (it belongs to another account) */
export async function connectIdentity(store: Store, identity: Identity, account: Account): Promise<Account> {
  await insertIdentity(store, identity, account);
  const owner = await findByIdentity(store, identity);
  if (owner?.id !== account.id) {
    throw new CitewellError(
      "SignInFailed",
      `this identity is already connected to the account ${owner?.email ?? "of someone else"}`,
    );
  }
  await recordForAccount(store, account, connected(identity, account));
  return account;
}

/**
 * Joins the project of a one-time link. A person who signs in for the first time gets an account; a trusted address is
 * admitted without the link, too.
 * @throws LinkInvalid, SignInFailed (no address, or it has an account), ProjectNotFound, InvalidRequest
 */
export async function joinWithIdentity(
  store: Store,
  token: string,
  identity: Identity,
  admission: Admission,
): Promise<Account> {
  const known = isTrusted(identity, admission)
    ? await admitIdentity(store, identity, admission)
    : await findByIdentity(store, identity);
  if (known !== undefined) return joinByLink(store, token, known);
  const email = requireEmail(identity);
  return store.tx(async (queries) => {
    const { project, role } = await takeLink(queries, token);
    const account = await insertAccount(queries, email, unusablePassword());
    if (account === undefined) throw addressTaken(email);
    await insertIdentity(queries, identity, account);
    await recordAudit(queries, project, { ...connected(identity, account), target: account.id });
    await addMember(queries, project, { account: account.id, role });
    return account;
  });
}

/**
 * The account of a person who signs in. For the first time, an address of a trusted domain that the provider has verified
 * is enough to join a project as a member. An existing account with the address becomes theirs, and its creator can
 * no longer sign in to it, because they have not proved that the address is theirs.
 * @throws OperationNotAllowed (not invited), SignInFailed (the address has an account), ProjectNotFound, InvalidRequest
 */
export async function admitIdentity(store: Store, identity: Identity, admission: Admission): Promise<Account> {
  const known = await findByIdentity(store, identity);
  if (known !== undefined) return known;
  const email = requireEmail(identity);
  if (!isTrusted(identity, admission)) throw (await hasAccount(store, email)) ? addressTaken(email) : notInvited(email);
  const project = await findProject(store, admission.project);
  const { account, isNew } = await store.tx(async (queries) => {
    const inserted = await insertAccount(queries, email, unusablePassword());
    // Another request may just have made it, for the same person.
    const meanwhile = await findByIdentity(queries, identity);
    if (meanwhile !== undefined) return { account: meanwhile, isNew: false };
    const own = inserted ?? (await takeAccount(queries, email));
    await insertIdentity(queries, identity, own);
    await queries.query("update account set email_proved_at = now() where id = $1", [own.id]);
    await addMember(queries, project.id, { account: own.id, role: "member" });
    return { account: own, isNew: true };
  });
  if (isNew) await recordForAccount(store, account, connected(identity, account));
  return account;
}

/** Removes everything with which the creator of an account could sign in to it. */
async function takeAccount(queries: Queries, email: string): Promise<Account> {
  const account = await saveAccount(queries, email, unusablePassword());
  await queries.query("delete from identity where account = $1", [account.id]);
  await queries.query("delete from password_link where account = $1", [account.id]);
  return account;
}

async function insertIdentity(
  { query }: Pick<Queries, "query">,
  { issuer, subject }: Identity,
  { id }: Account,
): Promise<void> {
  await query("insert into identity (issuer, subject, account) values ($1, $2, $3) on conflict do nothing", [
    issuer,
    subject,
    id,
  ]);
}

function isTrusted({ email = "", isEmailVerified }: Identity, { domains }: Admission): boolean {
  return (
    isEmailVerified &&
    domains.includes(
      email
        .slice(email.lastIndexOf("@") + 1)
        .trim()
        .toLowerCase(),
    )
  );
}

function connected({ issuer, subject }: Identity, { id }: Account) {
  return { actor: `account:${id}`, action: "identity.connected", detail: { issuer, subject } };
}

function requireEmail({ email }: Identity): string {
  const { success, data } = AccountCredentials.shape.email.safeParse(email);
  if (success) return data;
  throw new CitewellError("SignInFailed", "the sign-in provider returned no e-mail address", {
    hint: "the operator can configure the provider to return the claim email for the scope email",
  });
}

function addressTaken(email: string): CitewellError {
  return new CitewellError("SignInFailed", `an account with the address ${email} already exists`, {
    hint: "sign in with its password, and connect the provider on the page of your account",
  });
}

function notInvited(email: string): CitewellError {
  return new CitewellError("OperationNotAllowed", `${email} has no account here`, {
    hint: "ask an owner of your project for an invitation; open its link, and sign in there",
  });
}
