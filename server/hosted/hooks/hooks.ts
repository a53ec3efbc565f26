import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import express, { type Request, type RequestHandler, type Response, Router } from "express";
import * as z from "zod";
import { CitewellError, messageOf } from "../../errors.ts";
import type { Log } from "../../lib/log.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { networkOf } from "../../lib/public-host.ts";
import { requestWithin } from "../jobs/fetches.ts";
import { readLimits } from "../limits/project-limits.ts";
import { countCall, type RateLimit } from "../limits/rate.ts";
import type { SealingKeys } from "../secrets/sealing-keys.ts";
import { openWebhookSecret } from "../secrets/webhooks.ts";
import { allRows } from "../store/rows.ts";
import type { Store } from "../store/store.ts";

/** What the webhook works with. */
export interface HookOptions {
  store: Store;
  keys: SealingKeys;
  log: Log;
}

/**
 * The limit of each project. A push only requests a fetch, of which one runs and one waits; more would be a loop
 * somewhere.
 */
const pushLimit = { perMinute: 120 };
/**
 * The limit for each address. Signed pushes are not counted: a public host sends the pushes of many projects from the
 * same addresses, and anyone can make it send unsigned ones.
 */
const unsignedLimit = { perMinute: 30 };

/**
 * `POST /hooks/<project>`: pushes, as GitHub, GitLab, Gitea, Forgejo and Gogs send them. A push requests a fetch of the
 * project's resources of that repository and branch; a push of another repository is accepted and does nothing.
 */
export function createHooks(options: HookOptions): Router {
  const { store, log } = options;
  const router = Router();
  const receive: RequestHandler<{ project: string }> = async (request, response) => {
    const { project } = request.params;
    const body: unknown = request.body;
    const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
    if (!(await isSigned(request, bytes, { ...options, project }))) {
      const from = `hook:unsigned:${networkOf(request.ip ?? "")}`;
      await requireRate(response, { store, key: from, limit: unsignedLimit, what: "pushes with a wrong signature" });
      // No reason: it would help only to guess.
      response.status(401).json({ error: "KeyInvalid", message: "the signature is not valid" });
      return;
    }
    await requireRate(response, { store, key: `hook:${project}`, limit: pushLimit, what: "pushes of this project" });
    const push = Push.safeParse(parseJson(textOf(request, bytes)));
    const resources = await requestPushed(store, project, push.data);
    log.info("push-received", { project, resources });
    response.status(202).json({ resources });
  };
  router.post("/hooks/:project", express.raw({ type: () => true, limit: "2mb" }), receive);
  return router;
}

/** @throws LimitReached */
async function requireRate(
  response: Response,
  { store, key, limit, what }: { store: Store; key: string; limit: RateLimit; what: string },
): Promise<void> {
  const { isAllowed, retryAfterSeconds } = await countCall(store, key, limit);
  if (isAllowed) return;
  response.set("Retry-After", String(retryAfterSeconds));
  throw new CitewellError("LimitReached", `the limit of ${limit.perMinute} ${what} a minute is reached`);
}

/** Whether a request was signed with the secret of the project's webhook. */
async function isSigned(
  request: Request<{ project: string }>,
  body: Uint8Array,
  { store, keys, log, project }: HookOptions & { project: string },
): Promise<boolean> {
  if (!z.uuid().safeParse(project).success) return false;
  const secret = await openWebhookSecret(store, { keys, project }).catch((error: unknown) => {
    log.error("webhook-secret-unreadable", { project, error: messageOf(error) });
  });
  if (secret === undefined) return false;
  const token = request.get("x-gitlab-token");
  if (token !== undefined) return isSame(token, secret);
  const given =
    /^sha256=(.+)$/.exec(request.get("x-hub-signature-256") ?? "")?.[1] ??
    request.get("x-gitea-signature") ??
    request.get("x-forgejo-signature") ??
    request.get("x-gogs-signature");
  return given !== undefined && isSame(given, createHmac("sha256", secret).update(body).digest("hex"));
}

/** Compares in constant time: the hashes have the same length. */
function isSame(given: string, expected: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(given), hash(expected));
}

/** The part of a push that matters; GitLab names the repository `project`. */
const Addresses = z
  .object({
    clone_url: z.string(),
    html_url: z.string(),
    git_http_url: z.string(),
    web_url: z.string(),
    http_url: z.string(),
  })
  .partial();
const Push = z.object({
  ref: z.string(),
  repository: Addresses.optional(),
  project: Addresses.optional(),
});

/** GitHub sends JSON as it is, or in a field of a form. */
function textOf(request: Request<{ project: string }>, body: Buffer): string {
  const text = body.toString("utf8");
  return request.is("application/x-www-form-urlencoded") ? (new URLSearchParams(text).get("payload") ?? "") : text;
}

const Resource = z.object({ name: z.string(), url: z.string(), branch: z.string().nullable() });

/**
 * Requests the fetches that a push is about, and returns the names of the resources. @throws LimitReached,
 * OperationNotAllowed
 */
async function requestPushed(
  store: Store,
  project: string,
  push: z.infer<typeof Push> | undefined,
): Promise<readonly string[]> {
  if (push === undefined) return [];
  const addresses = [push.repository, push.project].flatMap((one) => Object.values(one ?? {}));
  const pushed = new Set(addresses.flatMap((address) => plainAddress(address ?? "")));
  const branch = push.ref.replace(/^refs\/(heads|tags)\//, "");
  const limits = await readLimits(store, project);
  return store.asProject(project, async (queries) => {
    await queries.query("update webhook set last_received_at = now() where project = $1", [project]);
    const result = await queries.query(
      `select name, spec->>'url' as url, spec->>'branch' as branch from resource
       where project = $1 and spec->>'type' = 'git'`,
      [project],
    );
    const names = allRows(Resource, result)
      .filter((one) => (one.branch ?? "main") === branch && plainAddress(one.url).some((url) => pushed.has(url)))
      .map(({ name }) => name);
    if (names.length > 0) await requestWithin(queries, project, { resources: names, limits });
    return names;
  });
}

/** Host and path, as they are the same for every spelling: hosts ignore case, `.git` and the scheme. */
function plainAddress(text: string): string[] {
  if (!URL.canParse(text)) return [];
  const { host, pathname } = new URL(text);
  return [`${host}${pathname.replace(/\/+$/, "").replace(/\.git$/, "")}`.toLowerCase()];
}
