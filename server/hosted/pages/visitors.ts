import type { Request, RequestHandler, Response } from "express";
import { CitewellError } from "../../errors.ts";
import { type Account, Role } from "../../protocol/hosted-accounts.ts";
import type { Store } from "../store/store.ts";
import { findMembership, type Membership } from "../tenants/members.ts";
import { findSession, sessionDays, startSession } from "../tenants/sessions.ts";

/** `__Host-`: browsers take it from this host only, over https or from this computer, and for all paths. */
const cookieName = "__Host-citewell";
const cookie = { path: "/", secure: true, httpOnly: true, sameSite: "lax" } as const;
const dayMs = 24 * 60 * 60 * 1000;

/** Who looks at a page, as part of a project. */
export interface Visitor {
  account: Account;
  membership: Membership;
}

/** The account of each request. */
export interface Visitors {
  /** Looks the session up; without one the request goes on. */
  identify: RequestHandler;
  accountOf(request: Request): Account | undefined;
  /** @throws SignInRequired */
  requireAccount(request: Request): Account;
  /**
   * The visitor of a page of a project, whose role is at least `role`.
   * @throws SignInRequired, ProjectNotFound (also to those who are no members), OperationNotAllowed
   */
  requireMember(request: Request<{ project: string }>, role: Role): Promise<Visitor>;
}

/** Remembers the account of a request as long as it runs. */
export function createVisitors(store: Store): Visitors {
  const accounts = new WeakMap<object, Account>();
  const requireAccount = (request: object): Account => {
    const account = accounts.get(request);
    if (account !== undefined) return account;
    throw new CitewellError("SignInRequired", "you are not signed in", { hint: "sign in and do it again" });
  };
  return {
    async identify(request, _response, next) {
      const token = sessionToken(request);
      const account = token === undefined ? undefined : await findSession(store, token);
      if (account !== undefined) accounts.set(request, account);
      next();
    },
    accountOf: (request) => accounts.get(request),
    requireAccount,
    async requireMember(request, role) {
      const account = requireAccount(request);
      const { project } = request.params;
      const membership = await findMembership(store, account, project);
      if (membership === undefined)
        throw new CitewellError("ProjectNotFound", `you are not a member of a project "${project}"`);
      if (Role.options.indexOf(membership.role) >= Role.options.indexOf(role)) return { account, membership };
      throw new CitewellError("OperationNotAllowed", `this needs the role ${role}; yours is ${membership.role}`, {
        hint: "an owner of the project can change it",
      });
    },
  };
}

/** The token of the session that a request belongs to. */
export function sessionToken(request: Request): string | undefined {
  return cookieValue(request, cookieName);
}

/** A cookie whose value is base64url. */
export function cookieValue(request: Pick<Request, "get">, name: string): string | undefined {
  return new RegExp(`(?:^|; *)${name}=([\\w-]+)`).exec(request.get("cookie") ?? "")?.[1];
}

/** Starts a session and gives the browser its cookie. */
export async function signInWith(response: Response, store: Store, account: Account): Promise<void> {
  response.cookie(cookieName, await startSession(store, account), { ...cookie, maxAge: sessionDays * dayMs });
}

/** Takes the cookie away. */
export function forgetSession(response: Response): void {
  response.clearCookie(cookieName, cookie);
}
