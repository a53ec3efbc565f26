import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import { Account } from "../../protocol/hosted-accounts.ts";
import { quoteValue } from "../../protocol/validation.ts";
import { firstRow, Timestamp } from "../store/rows.ts";
import type { Queries, Store } from "../store/store.ts";
import { type AccountServices, requireLinkAttempt, saveAccount } from "./accounts.ts";
import type { NewLink } from "./links.ts";
import { recordForAccount } from "./members.ts";
import { generateToken, hashToken } from "./secret-token.ts";

/** The number of minutes that a link works. */
export const passwordLinkMinutes = 15;

/**
 * Creates a single-use link that sets a new password for an account, valid for 15 minutes. Roles do not change.
 * @param actor for the audit log
 * @throws AccountNotFound
 */
export async function createPasswordLink(store: Store, email: string, actor = "operator"): Promise<NewLink> {
  const token = generateToken();
  const { account, expiresAt } = await store.tx(async ({ query }) => {
    await query("delete from password_link where expires_at <= now()");
    const result = await query(
      `insert into password_link (hash, account, expires_at)
       select $1, id, now() + make_interval(mins => $3::int) from account where email = $2
       returning account, expires_at as "expiresAt"`,
      [hashToken(token), email, passwordLinkMinutes],
    );
    const row = firstRow(z.object({ account: Account.shape.id, expiresAt: Timestamp }), result);
    if (row !== undefined) return row;
    throw new CitewellError("AccountNotFound", `no account with the e-mail address ${quoteValue(email)}`, {
      hint: "accounts are created by an invitation or by citewell hosted owner-link",
    });
  });
  await recordForAccount(store, { id: account }, { actor, action: "password-link.created" });
  return { token, expiresAt };
}

/** The account of a link; looking does not use it. @throws LinkInvalid (unknown, used or expired) */
export async function findPasswordLink({ query }: Pick<Queries, "query">, token: string): Promise<Account> {
  const result = await query(
    `select a.id, a.email from password_link l join account a on a.id = l.account
     where l.hash = $1 and l.expires_at > now()`,
    [hashToken(token)],
  );
  const account = firstRow(Account, result);
  if (account === undefined) throw invalidLink();
  return account;
}

/** Sets the password, ends the account's sessions, and uses up all its links. @throws LinkInvalid, LimitReached */
export async function setPasswordByLink(
  { store, passwords }: AccountServices,
  token: string,
  { password }: { password: string },
): Promise<Account> {
  const account = await findPasswordLink(store, token);
  await requireLinkAttempt(store, token);
  const stored = await passwords.hash(password);
  await store.tx(async (queries) => {
    // Of two concurrent visitors, the second one waits here and then deletes nothing.
    const { count } = await queries.query(
      `delete from password_link
       where account = (select account from password_link where hash = $1 and expires_at > now())`,
      [hashToken(token)],
    );
    if (count === 0) throw invalidLink();
    await saveAccount(queries, account.email, stored);
  });
  await recordForAccount(store, account, { actor: `account:${account.id}`, action: "password.changed" });
  return account;
}

function invalidLink(): CitewellError {
  return new CitewellError("LinkInvalid", "this link has expired or was already used", {
    hint: "the operator can create another one: citewell hosted password-link",
  });
}
