import type { Request, RequestHandler, Response } from "express";
import { CitewellError } from "../../errors.ts";
import type { KeyScope } from "../../protocol/api-keys.ts";
import type { Project } from "../../protocol/hosted.ts";
import { quoteValue } from "../../protocol/validation.ts";
import { countCall, type RateLimit } from "../limits/rate.ts";
import type { Store } from "../store/store.ts";
import { recordFirstUse } from "../tenants/audit.ts";
import { findByIdentity } from "../tenants/identities.ts";
import { authenticate, scopesByRole } from "../tenants/keys.ts";
import { projectsOf } from "../tenants/members.ts";
import type { AccessTokens } from "../sign-in/access-tokens.ts";

/** Who sent a request, in one project: an API key, or a member with an access token of the team's provider. */
export interface Holder {
  kind: "key" | "account";
  id: string;
  scopes: readonly KeyScope[];
  /** The names of the resources that it may use; null: all of the project. */
  resources: readonly string[] | null;
  project: Pick<Project, "id" | "name">;
  /** The client that got the access token. */
  client?: string;
}

/** The holder of each request. */
export interface Holders {
  /**
   * Checks the key or the token and counts the call, before the body is read.
   * @throws KeyInvalid, TokenInvalid, OperationNotAllowed (not a member of a project), LimitReached
   */
  identify: RequestHandler;
  /**
   * The holder in the requested project. Records the first use of a client there in the audit log.
   * @param project as named in the request, if at all
   * @throws OperationNotAllowed (another project, or several)
   */
  of(request: Request, project: unknown): Promise<Holder>;
}

interface HolderServices {
  store: Store;
  rateLimit: RateLimit;
  /** Whether the call counts towards the limit; false if another node has counted it. */
  isCounted?: (request: Request) => boolean;
  /** Undefined where only keys are accepted. */
  tokens: AccessTokens | undefined;
}

/** Remembers the holders of a request, one for each of its projects, as long as it runs. */
export function createHolders({ store, rateLimit, tokens, isCounted = () => true }: HolderServices): Holders {
  const holders = new WeakMap<Request, readonly [Holder, ...Holder[]]>();
  return {
    async identify(request, response, next) {
      const bearer = bearerOf(request);
      const found =
        tokens !== undefined && isJwt(bearer)
          ? await holdersOfToken(bearer, { store, tokens })
          : ([await holderOfKey(bearer, store)] as const);
      if (isCounted(request)) await requireRate(response, { store, holder: found[0], rateLimit });
      holders.set(request, found);
      next();
    },
    async of(request, named) {
      const found = holders.get(request);
      if (found === undefined) throw new RangeError("a request is answered before its key is checked");
      const holder = chooseProject(found, named);
      const { id: account, project, client } = holder;
      if (client !== undefined) await recordFirstUse(store, project.id, { account, client });
      return holder;
    },
  };
}

/** @throws KeyInvalid */
function bearerOf(request: Request): string {
  const [, key] = /^Bearer +(\S+) *$/i.exec(request.get("authorization") ?? "") ?? [];
  if (key !== undefined) return key;
  throw new CitewellError("KeyInvalid", "the request has no API key", { hint: "send Authorization: Bearer <key>" });
}

function isJwt(bearer: string): boolean {
  return bearer.split(".").length === 3;
}

async function holderOfKey(bearer: string, store: Store): Promise<Holder> {
  const { key, project } = await authenticate(store, bearer);
  return { kind: "key", id: key.id, scopes: key.scopes, resources: key.resources, project };
}

async function holdersOfToken(
  bearer: string,
  { store, tokens }: { store: Store; tokens: AccessTokens },
): Promise<readonly [Holder, ...Holder[]]> {
  const holder = await tokens.verify(bearer);
  const account = await findByIdentity(store, holder);
  const memberships = account === undefined ? [] : await projectsOf(store, account);
  const [first, ...others] = memberships.map(({ project, role }): Holder => ({
    kind: "account",
    id: account?.id ?? "",
    scopes: scopesByRole[role].filter((scope) => holder.scopes?.includes(scope) ?? true),
    resources: null,
    project,
    client: holder.client ?? "unknown",
  }));
  if (first !== undefined) return [first, ...others];
  throw new CitewellError("OperationNotAllowed", "the user of this access token is not a member of a project", {
    hint: "sign in on the web pages once; an owner of the project can invite you",
  });
}

/** @throws OperationNotAllowed (another project, or several and none is named) */
function chooseProject([first, ...others]: readonly [Holder, ...Holder[]], named: unknown): Holder {
  const all = [first, ...others];
  if (named === undefined || named === null) {
    if (others.length === 0) return first;
    const names = all.map(({ project }) => project.name).join(", ");
    throw new CitewellError("OperationNotAllowed", `you are a member of several projects: ${names}`, {
      hint: "name one: params.project, or ?project= in the address of the endpoint",
    });
  }
  const found = all.find(({ project }) => named === project.name || named === project.id);
  if (found !== undefined) return found;
  if (first.kind === "key") {
    throw new CitewellError("OperationNotAllowed", "this key belongs to another project", {
      hint: "leave out params.project, or use a key of that project",
    });
  }
  const shown = typeof named === "string" ? quoteValue(named) : typeof named;
  throw new CitewellError("OperationNotAllowed", `you are not a member of a project ${shown}`);
}

/** Counts the call, and reports the limit in the headers. @throws LimitReached */
async function requireRate(
  response: Response,
  { store, holder, rateLimit }: { store: Store; holder: Holder; rateLimit: RateLimit },
): Promise<void> {
  const decision = await countCall(store, `calls:${holder.id}`, rateLimit);
  const { isAllowed, remaining, resetSeconds, retryAfterSeconds } = decision;
  response.set({
    "RateLimit-Limit": String(rateLimit.perMinute),
    "RateLimit-Remaining": String(remaining),
    "RateLimit-Reset": String(resetSeconds),
  });
  if (isAllowed) return;
  response.set("Retry-After", String(retryAfterSeconds));
  throw new CitewellError(
    "LimitReached",
    `the limit of ${rateLimit.perMinute} calls per minute for this ${holder.kind} is reached; 0 are left`,
    { hint: `the next call is allowed in ${retryAfterSeconds} s` },
  );
}
