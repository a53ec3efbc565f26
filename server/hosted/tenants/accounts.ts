import { randomBytes } from "node:crypto";
import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import { networkOf } from "../../lib/public-host.ts";
import { Account, type AccountCredentials } from "../../protocol/hosted-accounts.ts";
import { countCall, type HourlyLimit, type RateLimit } from "../limits/rate.ts";
import { firstRow } from "../store/rows.ts";
import type { Queries, Store } from "../store/store.ts";
import type { PasswordHash, Passwords } from "./passwords.ts";
import { hashToken } from "./secret-token.ts";

/** What checking a password needs. */
export interface AccountServices {
  store: Store;
  passwords: Passwords;
}

/** Attempts to sign in, right or wrong: an attacker has many addresses, or tries many accounts from one. */
const attemptsPerAccount: RateLimit = { perMinute: 10 };
const attemptsPerAddress: RateLimit = { perMinute: 20 };
/** Limited, because anyone can request mails to any address. */
const mailsPerAddress: HourlyLimit = { perHour: 5 };

/**
 * The account of an address and a password. An unknown address takes as long as a wrong password, and fails the same way.
 * @param address the client's network address
 * @throws SignInFailed, LimitReached
 */
export async function checkPassword(
  { store, passwords }: AccountServices,
  { email, password }: AccountCredentials,
  { address }: { address: string },
): Promise<Account> {
  await requireAddressAttempt(store, address);
  await requireAttempt(store, `sign-in:account:${email}`, attemptsPerAccount, {
    message: "there were too many attempts to sign in with this e-mail address, maybe by somebody else",
    otherwise: "sign in without the password",
  });
  const found = await findByEmail(store, email);
  if ((await passwords.matches(password, found?.stored)) && found !== undefined) return found.account;
  throw new CitewellError("SignInFailed", "the e-mail address or the password is wrong");
}

/** Whether an address has an account. */
export async function hasAccount(store: Pick<Queries, "query">, email: string): Promise<boolean> {
  return (await findByEmail(store, email)) !== undefined;
}

/** Creates an account; one that has the address gets the new password, and its sessions end. */
export async function saveAccount({ query }: Queries, email: string, { hash, salt }: PasswordHash): Promise<Account> {
  const result = await query(
    `insert into account (email, password_hash, salt) values ($1, $2, $3)
     on conflict (email) do update set password_hash = $2, salt = $3 returning id, email`,
    [email, hash, salt],
  );
  const account = Account.parse(result.rows[0]);
  await query("delete from session where account = $1", [account.id]);
  return account;
}

/** Creates an account; undefined if there is one with the address. */
export async function insertAccount(
  { query }: Queries,
  email: string,
  { hash, salt }: PasswordHash,
): Promise<Account | undefined> {
  const result = await query(
    `insert into account (email, password_hash, salt) values ($1, $2, $3) on conflict (email) do nothing
     returning id, email`,
    [email, hash, salt],
  );
  return firstRow(Account, result);
}

/** Creates an account. @throws SignInFailed (there is one with the address) */
export async function createAccount(queries: Queries, email: string, password: PasswordHash): Promise<Account> {
  const account = await insertAccount(queries, email, password);
  if (account !== undefined) return account;
  throw new CitewellError("SignInFailed", "an account with this e-mail address already exists", {
    hint: "use its password",
  });
}

/** Counts an attempt to sign in from a network address. @throws LimitReached */
export async function requireAddressAttempt(store: Store, address: string): Promise<void> {
  await requireAttempt(store, `sign-in:address:${networkOf(address)}`, attemptsPerAddress);
}

/** Counts an attempt to use a one-time link, because each attempt hashes a password. @throws LimitReached */
export async function requireLinkAttempt(store: Store, token: string): Promise<void> {
  const hash = Buffer.from(hashToken(token)).toString("hex");
  await requireAttempt(store, `sign-in:link:${hash}`, attemptsPerAccount);
}

/** Counts a mail to an e-mail address, whether it has an account or not. @throws LimitReached */
export async function requireMailAttempt(store: Store, email: string): Promise<void> {
  await requireAttempt(store, `mail:${email}`, mailsPerAddress, {
    message: "there were too many mails to this address",
  });
}

/** No password has this hash: the account can sign in only through a provider or a link by mail. */
export function unusablePassword(): PasswordHash {
  return { hash: randomBytes(32), salt: randomBytes(16) };
}

/** @throws LimitReached */
async function requireAttempt(
  store: Store,
  key: string,
  limit: RateLimit | HourlyLimit,
  { message = "there were too many attempts to sign in", otherwise }: { message?: string; otherwise?: string } = {},
): Promise<void> {
  const { isAllowed, retryAfterSeconds: seconds } = await countCall(store, key, limit);
  if (isAllowed) return;
  const later = `try again in ${seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} minutes`}`;
  throw new CitewellError("LimitReached", message, {
    hint: otherwise === undefined ? later : `${later}, or ${otherwise}`,
  });
}

const StoredAccount = Account.extend({ hash: z.instanceof(Uint8Array), salt: z.instanceof(Uint8Array) });

async function findByEmail(
  { query }: Pick<Queries, "query">,
  email: string,
): Promise<{ account: Account; stored: PasswordHash } | undefined> {
  const result = await query("select id, email, password_hash as hash, salt from account where email = $1", [email]);
  const row = firstRow(StoredAccount, result);
  return row && { account: { id: row.id, email: row.email }, stored: { hash: row.hash, salt: row.salt } };
}
