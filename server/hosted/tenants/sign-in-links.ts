import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import { Account } from "../../protocol/hosted-accounts.ts";
import { firstRow } from "../store/rows.ts";
import type { Queries, Store } from "../store/store.ts";
import { unusablePassword } from "./accounts.ts";
import { recordForAccount } from "./members.ts";
import { generateToken, hashToken } from "./secret-token.ts";

/** The number of minutes that a link by mail works. */
export const signInMinutes = 15;

/** A single-use token that signs in to the account with this address; undefined if there is none. */
export async function createSignInLink(store: Store, email: string): Promise<string | undefined> {
  const token = generateToken();
  const { count } = await store.tx(async ({ query }) => {
    await query("delete from sign_in_link where expires_at <= now()");
    return query(
      `insert into sign_in_link (hash, account, expires_at)
       select $1, id, now() + make_interval(mins => $3::int) from account where email = $2 returning hash`,
      [hashToken(token), email, signInMinutes],
    );
  });
  return count === 0 ? undefined : token;
}

/** The target of a sign-in link. */
export interface SignInLink {
  account: Account;
  /** Whether an earlier link, or a trusted provider, has proved that the address belongs to the account's owner. */
  isProved: boolean;
}

const Row = Account.extend({ isProved: z.boolean() });

/** Looks up a sign-in link without using it. @throws LinkInvalid (unknown, used or expired) */
export async function findSignInLink({ query }: Pick<Queries, "query">, token: string): Promise<SignInLink> {
  const result = await query(
    `select a.id, a.email, a.email_proved_at is not null as "isProved"
     from sign_in_link l join account a on a.id = l.account where l.hash = $1 and l.expires_at > now()`,
    [hashToken(token)],
  );
  const row = firstRow(Row, result);
  if (row === undefined) throw invalidLink();
  return { account: { id: row.id, email: row.email }, isProved: row.isProved };
}

/**
 * Uses up all sign-in links of the account. The first use proves the address and removes the account's password,
 * sessions, identities and password links, because someone else may have created the account.
 * @throws LinkInvalid
 */
export async function takeSignInLink(store: Store, token: string): Promise<Account> {
  const { account, isProved } = await findSignInLink(store, token);
  await store.tx(async ({ query }) => {
    // Of two concurrent visitors, the second one waits here and then deletes nothing.
    const { count } = await query(
      `delete from sign_in_link
       where account = (select account from sign_in_link where hash = $1 and expires_at > now())`,
      [hashToken(token)],
    );
    if (count === 0) throw invalidLink();
    const { hash, salt } = unusablePassword();
    const proved = await query(
      `update account set email_proved_at = now(), password_hash = $2, salt = $3
       where id = $1 and email_proved_at is null returning id`,
      [account.id, hash, salt],
    );
    if (proved.count === 0) return;
    await query("delete from session where account = $1", [account.id]);
    await query("delete from identity where account = $1", [account.id]);
    await query("delete from password_link where account = $1", [account.id]);
  });
  if (!isProved) await recordForAccount(store, account, { actor: `account:${account.id}`, action: "address.proved" });
  return account;
}

function invalidLink(): CitewellError {
  return new CitewellError("LinkInvalid", "this link has expired or was already used", {
    hint: "request another one on the page to sign in",
  });
}
