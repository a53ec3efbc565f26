import { Router } from "express";
import { CitewellError } from "../../errors.ts";
import type { ErrorTag } from "../../protocol/error-tags.ts";
import { type Account, AccountCredentials, PasswordSignIn } from "../../protocol/hosted-accounts.ts";
import { checkPassword } from "../tenants/accounts.ts";
import { acceptLink, findLink, joinByLink, type Link } from "../tenants/links.ts";
import { endSession } from "../tenants/sessions.ts";
import type { Issuer } from "../sign-in/issuer.ts";
import { emptyForm, field, type Form, formErrors, parseForm } from "./forms.ts";
import { insecureHint, isSecure } from "./guard.ts";
import { type Html, html } from "./html.ts";
import { layout } from "./layout.ts";
import type { PageServices } from "./pages.ts";
import { nextPath, redirect, sendHtml, sentence } from "./respond.ts";
import { providerLink } from "./single-sign-on.ts";
import { forgetSession, sessionToken, signInWith } from "./visitors.ts";

/** Signing in and out, and the page of a one-time link. */
export function signInPages({ store, passwords, visitors, issuer, mailer }: PageServices): Router {
  const router = Router();
  const isMailed = mailer !== undefined;

  router.get("/sign-in", (request, response) => {
    const shown = { next: nextPath(request), isSecure: isSecure(request), issuer, isMailed };
    sendHtml(response, signInPage(emptyForm, shown));
  });

  router.post("/sign-in", async (request, response) => {
    const next = nextPath(request);
    const shown = { next, isSecure: isSecure(request), issuer, isMailed };
    const { data: credentials, form } = parseForm(PasswordSignIn, request);
    if (credentials === undefined) return sendHtml(response, signInPage(form, shown), 400);
    try {
      const account = await checkPassword({ store, passwords }, credentials, { address: addressOf(request) });
      await signInWith(response, store, account);
    } catch (error) {
      const { status, message } = attemptFailure(error);
      return sendHtml(response, signInPage({ ...form, errors: { "": message } }, shown), status);
    }
    return redirect(response, next);
  });

  router.post("/sign-out", async (request, response) => {
    const token = sessionToken(request);
    if (token !== undefined) await endSession(store, token);
    forgetSession(response);
    redirect(response, "/sign-in");
  });

  router.get("/link/:token", async (request, response) => {
    const { token } = request.params;
    const link = await findLink(store, token);
    const account = visitors.accountOf(request);
    const provider = providerLink(issuer, { link: token });
    sendHtml(response, linkPage({ link, form: emptyForm, account, isSecure: isSecure(request), provider }));
  });

  router.post("/link/:token", async (request, response) => {
    const { token } = request.params;
    const link = await findLink(store, token);
    const home = `/p/${link.project.name}`;
    const account = visitors.accountOf(request);
    if (account !== undefined && request.query["join"] !== undefined) {
      await joinByLink(store, token, account);
      return redirect(response, home);
    }
    const { data: credentials, form } = parseForm(AccountCredentials, request);
    const provider = providerLink(issuer, { link: token });
    const shown = { link, account, isSecure: isSecure(request), provider };
    if (credentials === undefined) return sendHtml(response, linkPage({ ...shown, form }), 400);
    try {
      const joined = await acceptLink({ store, passwords }, token, { credentials, address: addressOf(request) });
      await signInWith(response, store, joined);
    } catch (error) {
      const { status, message } = attemptFailure(error);
      return sendHtml(response, linkPage({ ...shown, form: { ...form, errors: { "": message } } }), status);
    }
    return redirect(response, home);
  });

  return router;
}

function addressOf({ ip = "" }: { ip?: string | undefined }): string {
  return ip;
}

const attemptStatus: Partial<Record<ErrorTag, number>> = { SignInFailed: 401, LimitReached: 429, MailFailed: 502 };

/** A wrong password, too many attempts, or a mail that was not sent, for the form. @throws any other error */
export function attemptFailure(error: unknown): { status: number; message: string } {
  const status = error instanceof CitewellError ? attemptStatus[error.tag] : undefined;
  if (!(error instanceof CitewellError) || status === undefined) throw error;
  const { message, hint } = error;
  return { status, message: hint === undefined ? sentence(message) : `${sentence(message)} ${sentence(hint)}` };
}

interface SignInPageOptions {
  next: string;
  isSecure: boolean;
  issuer: Issuer | undefined;
  /** Whether links are sent by mail. */
  isMailed: boolean;
  /** Which form was filled in. */
  of?: "password" | "mail";
}

/** The page to sign in. */
export function signInPage(form: Form, { next, isSecure, issuer, isMailed, of = "password" }: SignInPageOptions): Html {
  const provider = providerLink(issuer, { next });
  const query = `?next=${encodeURIComponent(next)}`;
  const passwordForm = of === "password" ? form : emptyForm;
  const main = html`<h1>Sign in</h1>
    ${!isSecure && insecureWarning} ${provider}
    ${isMailed && mailForm(of === "mail" ? form : emptyForm, `/sign-in/mail${query}`)}
    ${(provider !== undefined || isMailed) && html`<h2>With a password</h2>`}
    <form method="post" action="/sign-in${query}" class="card">
      ${formErrors(passwordForm)}
      ${field(passwordForm, { name: "email", label: "E-mail address", type: "email", autocomplete: "username" })}
      ${field(passwordForm, { name: "password", label: "Password", type: "password", autocomplete: "current-password" })}
      <button>Sign in</button>
    </form>
    <p class="muted">
      No account yet? An owner of your project can invite you. Lost your password, or too many attempts?
      ${
        isMailed
          ? "Sign in with a link by mail, and set a new one on the page of your account."
          : html`The operator can run <code>citewell hosted password-link</code>.`
      }
    </p>`;
  return layout({ title: "Sign in", main });
}

function mailForm(form: Form, action: string): Html {
  return html`<h2>With a link by mail</h2>
    <form method="post" action="${action}" class="card">
      ${formErrors(form)}
      ${field(form, {
        name: "email",
        id: "mail",
        label: "E-mail address",
        type: "email",
        autocomplete: "email",
      })}
      <button>Send me a link</button>
    </form>`;
}

interface LinkPageOptions {
  link: Link;
  form: Form;
  account: Account | undefined;
  isSecure: boolean;
  /** The link to the sign-in provider. */
  provider: Html | undefined;
}

function linkPage({ link: { project, role }, form, account, isSecure, provider }: LinkPageOptions): Html {
  const main = html`<h1>Join ${project.name}</h1>
    ${!isSecure && insecureWarning}
    <p>This link makes you ${role === "member" ? "a" : "an"} ${role} of the project ${project.name}. It works once.</p>
    ${
      account !== undefined &&
      html`<form method="post" action="?join=1" class="card"><button>Join as ${account.email}</button></form>
        <h2>With another account</h2>`
    }
    ${
      provider !== undefined &&
      html`${provider}
        <h2>With a password</h2>`
    }
    <form method="post" class="card">
      ${formErrors(form)}
      ${field(form, { name: "email", label: "E-mail address", type: "email", autocomplete: "username" })}
      ${field(form, {
        name: "password",
        label: "Password",
        type: "password",
        hint: "At least 12 characters. If you have an account with this address, its password.",
        autocomplete: "current-password",
      })}
      <button>Join</button>
    </form>`;
  return layout({ title: `Join ${project.name}`, main, account });
}

/** Shown over plain http, where browsers do not store the session cookie. */
export const insecureWarning = html`<p class="error" role="alert">${sentence(insecureHint)}</p>`;
