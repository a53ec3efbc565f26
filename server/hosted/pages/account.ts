import { Router } from "express";
import { CitewellError } from "../../errors.ts";
import { gitHubLoginOf } from "../github/member-rights.ts";
import { passwordMail } from "../mail/texts.ts";
import { requireMailAttempt } from "../tenants/accounts.ts";
import { identitiesOf } from "../tenants/identities.ts";
import { projectsOf } from "../tenants/members.ts";
import { createPasswordLink, passwordLinkMinutes } from "../tenants/password-links.ts";
import { html } from "./html.ts";
import { layout } from "./layout.ts";
import type { PageServices } from "./pages.ts";
import { noticeOf, redirect, sendHtml } from "./respond.ts";
import { providerLink } from "./single-sign-on.ts";
import { timeOf } from "./time.ts";

const notices = {
  connected: "The provider is connected: you can sign in with it from now on.",
  github: "Your GitHub account is connected. What you may use is updated in a moment.",
  mailed: "A mail with a link to set a new password was sent.",
};

/** The page of one's own account: its projects, and how it signs in. */
export function accountPage({ store, visitors, issuer, mailer, githubApp, ownOrigin }: PageServices): Router {
  const router = Router();
  router.get("/account", async (request, response) => {
    const account = visitors.requireAccount(request);
    const projects = (await projectsOf(store, account)).map(
      ({ project: { name }, role }) => html`<li><a href="/p/${name}">${name}</a> (${role})</li>`,
    );
    const identities = (await identitiesOf(store, account)).map(
      ({ issuer: from, subject, createdAt }) =>
        html`<li>${from} as <code>${subject}</code>, connected ${timeOf(createdAt, "")}</li>`,
    );
    const login = githubApp && (await gitHubLoginOf(store, account, githubApp.host));
    const main = html`<h1>${account.email}</h1>
      <h2>Projects</h2>
      ${
        projects.length === 0
          ? html`<p>You are not a member of any project. Ask an owner for an invitation.</p>`
          : html`<ul>
              ${projects}
            </ul>`
      }
      ${
        (issuer !== undefined || identities.length > 0) &&
        html`<h2>Single sign-on</h2>
          ${
            identities.length === 0
              ? html`<p>No sign-in provider is connected.</p>`
              : html`<ul>
                  ${identities}
                </ul>`
          }
          ${providerLink(issuer, { connect: true })}`
      }
      ${
        githubApp !== undefined &&
        html`<h2>GitHub</h2>
          <p>
            ${login === undefined ? "No GitHub account is connected." : html`You are <strong>${login}</strong> on ${githubApp.host}.`}
            Projects may let you use what you may read at GitHub.
          </p>
          <p>
            <a class="button" href="/account/github"
              >Connect ${login === undefined ? "your" : "another"} GitHub account</a
            >
          </p>`
      }
      ${
        mailer !== undefined &&
        html`<h2>Password</h2>
          <p>A mail with a link lets you set a new password. Setting it signs you out everywhere else.</p>
          <form method="post" action="/account/password"><button>Send me a link</button></form>`
      }`;
    sendHtml(response, layout({ title: "Account", account, main, notice: noticeOf(request, notices) }));
  });
  router.post("/account/password", async (request, response) => {
    const { id, email } = visitors.requireAccount(request);
    if (mailer === undefined) throw new CitewellError("RouteNotFound", "this service sends no mails");
    await requireMailAttempt(store, email);
    const { token } = await createPasswordLink(store, email, `account:${id}`);
    const link = `${ownOrigin()}/password/${token}`;
    await mailer.send(passwordMail({ to: email, link, minutes: passwordLinkMinutes }));
    redirect(response, "/account?done=mailed");
  });

  return router;
}
