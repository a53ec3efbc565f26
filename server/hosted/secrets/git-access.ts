import * as z from "zod";
import { allRows } from "../store/rows.ts";
import type { Queries } from "../store/store.ts";
import { unseal } from "./sealing.ts";
import type { SealingKeys } from "./sealing-keys.ts";

/** A token as git is given it. */
export interface GitAccess {
  id: string;
  /** As `gitHostOf`. */
  host: string;
  name: string;
  /** Opens the token. @throws SecretsKeyInvalid */
  open(): Promise<string>;
}

const Row = z.object({
  id: z.string(),
  host: z.string(),
  name: z.string(),
  username: z.string(),
  sealed: z.instanceof(Uint8Array),
  keyVersion: z.string(),
});

/** Hosts accept any user name with a token, but for the few whose tokens have one of their own. */
const usualUsername = "x-access-token";

/** The tokens of a project, still sealed. */
export async function readGitAccess(
  { query }: Pick<Queries, "query">,
  { keys, project }: { keys: SealingKeys; project: string },
): Promise<GitAccess[]> {
  const result = await query(
    `select id, host, name, username, sealed, key_version as "keyVersion" from git_token where project = $1`,
    [project],
  );
  return allRows(Row, result).map(({ id, host, name, username, ...sealed }) => ({
    id,
    host,
    name,
    async open() {
      const token = await unseal(keys, sealed, { table: "git_token", project, id });
      return `${username === "" ? usualUsername : username}:${token}`;
    },
  }));
}

/**
 * Git's settings that send each token to its host and nowhere else, as environment variables: command lines can be read by
 * other users of the computer. See https://git-scm.com/docs/git-config#Documentation/git-config.txt-httpextraHeader
 */
export function credentialVariables(
  credentials: readonly { host: string; credential: string }[],
): Record<string, string> {
  const pairs = credentials.flatMap(({ host, credential }, index) => [
    [`GIT_CONFIG_KEY_${index}`, `http.https://${host}/.extraHeader`],
    [`GIT_CONFIG_VALUE_${index}`, `Authorization: Basic ${Buffer.from(credential).toString("base64")}`],
  ]);
  return { GIT_CONFIG_COUNT: String(credentials.length), ...Object.fromEntries(pairs) };
}

/** Records that a token was used, and whether its host refused it. */
export async function recordTokenUse(
  { query }: Pick<Queries, "query">,
  { project, token, failure }: { project: string; token: Pick<GitAccess, "id">; failure: string | undefined },
): Promise<void> {
  await query(
    `update git_token set last_used_at = now(), failure = $2,
       failing_since = case when $2::text is null then null else coalesce(failing_since, now()) end
     where project = $3 and id = $1`,
    [token.id, failure ?? null, project],
  );
}
