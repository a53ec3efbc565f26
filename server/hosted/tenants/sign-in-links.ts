import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import { Account } from "../../protocol/hosted-accounts.ts";
import { firstRow } from "../store/rows.ts";
import type { Queries, Store } from "../store/store.ts";
import { unusablePassword } from "./accounts.ts";
import { recordForAccount } from "./members.ts";
import { generateToken, hashToken } from "./secret-token.ts";

/** For how long a link by mail works. */
export const signInMinutes = 15;

/** A token that signs in to the account of an address, once; undefined if there is no such account. */
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

/** What a link signs in to. */
export interface SignInLink {
  account: Account;
  /** Whether an earlier link by mail, or a trusted provider, has shown that the address belongs to the account's owner. */
  isProved: boolean;
}

const Row = Account.extend({ isProved: z.boolean() });

/** What a link signs in to; looking does not use it. @throws LinkInvalid (unknown, used or expired) */
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
 * Uses up a link and the account's other ones. The first one proves the address: the account's password, sessions,
 * identities and open links for a new password end, because the account may have been made with somebody else's address.
 * @throws LinkInvalid
 */
export async function takeSignInLink(store: Store, token: string): Promise<Account> {
  const { account, isProved } = await findSignInLink(store, token);
  await store.tx(async ({ query }) => {
    // Of two visitors at once, the second one waits here and deletes nothing.
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
  return new CitewellError("LinkInvalid", "this link was used already, or has expired", {
    hint: "request another one on the page to sign in",
  });
}
