import { Account } from "../../protocol/hosted-accounts.ts";
import { firstRow } from "../store/rows.ts";
import type { Store } from "../store/store.ts";
import { recordForAccount } from "./members.ts";
import { generateToken, hashToken } from "./secret-token.ts";

/** How long a session lasts. */
export const sessionDays = 7;

/**
 * Starts a session and returns its token, which is shown here and nowhere else: only its hash is stored. It is in the
 * audit log of each project of the account.
 */
export async function startSession(store: Store, account: Account): Promise<string> {
  const token = generateToken();
  await store.query("delete from session where expires_at <= now()");
  await store.query(
    "insert into session (hash, account, expires_at) values ($1, $2, now() + make_interval(days => $3::int))",
    [hashToken(token), account.id, sessionDays],
  );
  await recordForAccount(store, account, { actor: `account:${account.id}`, action: "session.started" });
  return token;
}

/** The account of a session; undefined if there is no such session, or it has ended. */
export async function findSession({ query }: Pick<Store, "query">, token: string): Promise<Account | undefined> {
  const result = await query(
    `select a.id, a.email from session s join account a on a.id = s.account
     where s.hash = $1 and s.expires_at > now()`,
    [hashToken(token)],
  );
  return firstRow(Account, result);
}

/** Ends a session; without one nothing happens. */
export async function endSession({ query }: Pick<Store, "query">, token: string): Promise<void> {
  await query("delete from session where hash = $1", [hashToken(token)]);
}
