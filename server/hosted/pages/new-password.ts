import { Router } from "express";
import { type Account, NewPasswordForm } from "../../protocol/hosted-accounts.ts";
import { findPasswordLink, setPasswordByLink } from "../tenants/password-links.ts";
import { emptyForm, field, type Form, formErrors, parseForm } from "./forms.ts";
import { type Html, html } from "./html.ts";
import { layout } from "./layout.ts";
import type { PageServices } from "./pages.ts";
import { redirect, sendHtml } from "./respond.ts";
import { signInWith } from "./visitors.ts";

/** The page of a link that sets a new password. */
export function newPasswordPage({ store, passwords }: PageServices): Router {
  const router = Router();

  router.get("/password/:token", async (request, response) => {
    const account = await findPasswordLink(store, request.params.token);
    sendHtml(response, passwordPage(account, emptyForm));
  });

  router.post("/password/:token", async (request, response) => {
    const { token } = request.params;
    const account = await findPasswordLink(store, token);
    const { data, form } = parseForm(NewPasswordForm, request);
    if (data === undefined) return sendHtml(response, passwordPage(account, form), 400);
    await setPasswordByLink({ store, passwords }, token, data);
    await signInWith(response, store, account);
    return redirect(response, "/");
  });

  return router;
}

function passwordPage({ email }: Account, form: Form): Html {
  const main = html`<h1>New password</h1>
    <p>This sets the password of ${email} and signs it out everywhere else. The link works once.</p>
    <form method="post" class="card">
      ${formErrors(form)}
      <input type="hidden" name="email" value="${email}" autocomplete="username" />
      ${field(form, {
        name: "password",
        label: "New password",
        type: "password",
        hint: "At least 12 characters.",
        autocomplete: "new-password",
      })}
      <button>Set the password</button>
    </form>`;
  return layout({ title: "New password", main });
}
