import { Router } from "express";
import { MailForm } from "../../protocol/hosted-accounts.ts";
import { signInMail } from "../mail/texts.ts";
import { requireAddressAttempt, requireMailAttempt } from "../tenants/accounts.ts";
import {
  createSignInLink,
  findSignInLink,
  type SignInLink,
  signInMinutes,
  takeSignInLink,
} from "../tenants/sign-in-links.ts";
import { parseForm } from "./forms.ts";
import { isSecure } from "./guard.ts";
import { type Html, html } from "./html.ts";
import { layout } from "./layout.ts";
import type { PageServices } from "./pages.ts";
import { nextPath, redirect, sendHtml } from "./respond.ts";
import { attemptFailure, insecureWarning, signInPage } from "./sign-in.ts";
import { signInWith } from "./visitors.ts";

/** Signing in with a link by mail. */
export function mailSignInPages({ store, issuer, mailer, ownOrigin }: PageServices): Router {
  const router = Router();
  if (mailer === undefined) return router;

  router.post("/sign-in/mail", async (request, response) => {
    const next = nextPath(request);
    const shown = { next, isSecure: isSecure(request), issuer, isMailed: true, of: "mail" } as const;
    const { data, form } = parseForm(MailForm, request);
    if (data === undefined) return sendHtml(response, signInPage(form, shown), 400);
    const { email } = data;
    try {
      await requireAddressAttempt(store, request.ip ?? "");
      await requireMailAttempt(store, email);
      // The response must not depend on whether there is an account, so that is checked afterwards.
      await mailer.check();
    } catch (error) {
      const { status, message } = attemptFailure(error);
      return sendHtml(response, signInPage({ ...form, errors: { "": message } }, shown), status);
    }
    mailer.later(async () => {
      const token = await createSignInLink(store, email);
      if (token === undefined) return;
      const url = new URL(`/sign-in/link/${token}`, ownOrigin());
      if (next !== "/") url.searchParams.set("next", next);
      await mailer.send(signInMail({ to: email, link: url.href, minutes: signInMinutes }));
    });
    return sendHtml(response, sentPage(email));
  });

  // Mail scanners open links, so only the button signs in.
  router.get("/sign-in/link/:token", async (request, response) => {
    const link = await findSignInLink(store, request.params.token);
    sendHtml(response, linkPage(link, { next: nextPath(request), isSecure: isSecure(request) }));
  });

  router.post("/sign-in/link/:token", async (request, response) => {
    await signInWith(response, store, await takeSignInLink(store, request.params.token));
    redirect(response, nextPath(request));
  });

  return router;
}

function sentPage(email: string): Html {
  const main = html`<h1>Check your mail</h1>
    <p>
      If ${email} has an account here, a mail with a link is on its way. The link works once, within ${signInMinutes}
      minutes.
    </p>
    <p>No mail? Check your spam folder. An owner of your project can invite you.</p>
    <p><a href="/sign-in">Back to sign in</a></p>`;
  return layout({ title: "Check your mail", main });
}

function linkPage(
  { account: { email }, isProved }: SignInLink,
  { next, isSecure: isKept }: { next: string; isSecure: boolean },
): Html {
  const main = html`<h1>Sign in</h1>
    ${!isKept && insecureWarning}
    ${
      !isProved &&
      html`<p>
        This link proves for the first time that ${email} is your address. Signing in ends what others may have set up
        with it: the account’s password, its sessions, and its connection to a sign-in provider. You can set them up
        again on the page of your account.
      </p>`
    }
    <form method="post" action="?next=${encodeURIComponent(next)}" class="card">
      <p>The link works once.</p>
      <button>Sign in as ${email}</button>
    </form>`;
  return layout({ title: "Sign in", main });
}
