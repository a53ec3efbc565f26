import { type Request, type Response, Router } from "express";
import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import { parseJson } from "../../lib/parse-json.ts";
import type { Account } from "../../protocol/hosted-accounts.ts";
import { requireAddressAttempt } from "../tenants/accounts.ts";
import { admitIdentity, connectIdentity, joinWithIdentity } from "../tenants/identities.ts";
import { findLink, linkPath } from "../tenants/links.ts";
import { callbackPath, finishFlow, startFlow } from "../sign-in/code-flow.ts";
import type { Issuer } from "../sign-in/issuer.ts";
import { type Html, html } from "./html.ts";
import type { PageServices } from "./pages.ts";
import { nextPath, redirect } from "./respond.ts";
import { cookieValue, signInWith } from "./visitors.ts";

const cookieName = "__Host-citewell-oidc";
const cookie = { path: "/", secure: true, httpOnly: true, sameSite: "lax" } as const;
const flowMinutes = 10;

/** A pending sign-in. Stored in a cookie, so that no other browser can finish it. */
const Flow = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  next: z.string(),
  /** The one-time link that is opened with it. */
  link: z.string().optional(),
  /** The id of the account that is being connected. */
  account: z.string().optional(),
});
type Flow = z.infer<typeof Flow>;

const Purpose = z.object({ link: z.string().optional().catch(undefined), connect: z.unknown().optional() });

/** What a sign-in leads to. */
export type SignInPurpose = { next: string } | { link: string } | { connect: true };

/** Signing in with the team's provider. Links lead there, because the content security policy holds forms back. */
export function singleSignOnPages({ store, visitors, issuer }: PageServices): Router {
  const router = Router();
  if (issuer === undefined) return router;

  router.get("/sign-in/provider", async (request, response) => {
    const { link, connect } = Purpose.parse(request.query);
    const account = connect === undefined ? undefined : requireOwnPage(request, visitors.requireAccount(request));
    if (link !== undefined) {
      await findLink(store, link);
      // Another site must not make its visitor join a project, so this shows the page of the invitation first.
      if (isOfOtherSite(request)) return redirect(response, linkPath(link));
    }
    const { url, secrets } = await startFlow(issuer);
    keepFlow(response, { ...secrets, next: nextPath(request), link, account: account?.id });
    return redirect(response, url);
  });

  router.get(callbackPath, async (request, response) => {
    const flow = readFlow(request);
    response.clearCookie(cookieName, cookie);
    const parameters = new URL(request.originalUrl, issuer.publicUrl()).searchParams;
    if (flow === undefined || parameters.get("state") !== flow.state) throw notStarted();
    await requireAddressAttempt(store, request.ip ?? "");
    const identity = await finishFlow(issuer, parameters, flow);
    if (flow.account !== undefined) {
      const account = visitors.requireAccount(request);
      if (account.id !== flow.account) throw notStarted();
      await connectIdentity(store, identity, account);
      return redirect(response, "/account?done=connected");
    }
    const home = flow.link === undefined ? flow.next : `/p/${(await findLink(store, flow.link)).project.name}`;
    const account =
      flow.link === undefined
        ? await admitIdentity(store, identity, issuer.settings)
        : await joinWithIdentity(store, flow.link, identity, issuer.settings);
    await signInWith(response, store, account);
    return redirect(response, home);
  });

  return router;
}

/** The link to the provider; undefined without one. */
export function providerLink(issuer: Issuer | undefined, purpose: SignInPurpose): Html | undefined {
  if (issuer === undefined) return undefined;
  // The provider redirects to the public address, and the cookie must have been set there.
  const url = new URL("/sign-in/provider", issuer.publicUrl());
  for (const [name, value] of Object.entries(purpose)) url.searchParams.set(name, String(value));
  const label = "connect" in purpose ? `Connect ${issuer.host}` : `Sign in with ${issuer.host}`;
  return html`<p><a class="button" href="${url.href}">${label}</a></p>`;
}

/** Otherwise a link on another site could connect the attacker's identity to the visitor's account. @throws OperationNotAllowed */
function requireOwnPage(request: Request, account: Account): Account {
  if (request.get("sec-fetch-site") === "same-origin") return account;
  throw new CitewellError("OperationNotAllowed", "this was not opened from the page of your account", {
    hint: "open the page of your account at the public address of the service, and press Connect there",
  });
}

function isOfOtherSite(request: Request): boolean {
  return (request.get("sec-fetch-site") ?? "same-origin") !== "same-origin";
}

function keepFlow(response: Response, flow: Flow): void {
  const value = Buffer.from(JSON.stringify(flow)).toString("base64url");
  response.cookie(cookieName, value, { ...cookie, maxAge: flowMinutes * 60_000 });
}

function readFlow(request: Request): Flow | undefined {
  const value = cookieValue(request, cookieName) ?? "";
  return Flow.safeParse(parseJson(Buffer.from(value, "base64url").toString())).data;
}

function notStarted(): CitewellError {
  return new CitewellError(
    "SignInFailed",
    "this sign-in was not started in this browser, or is older than 10 minutes",
    {
      hint: "start it again on the page to sign in",
    },
  );
}
