import { Router } from "express";
import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import type { HostKind } from "../../protocol/followed-accounts.ts";
import { NewGitToken } from "../../protocol/hosted.ts";
import { untilLeft } from "../../transports/http/response.ts";
import type { GitHubApp } from "../github/github-app.ts";
import { hostsOf, type OwnHost, proveByToken } from "../host-rights/people.ts";
import { passwordMail } from "../mail/texts.ts";
import type { HostServices } from "../projects/open-host.ts";
import { requireAddressAttempt, requireMailAttempt } from "../tenants/accounts.ts";
import { identitiesOf } from "../tenants/identities.ts";
import { projectsOf } from "../tenants/members.ts";
import { createPasswordLink, passwordLinkMinutes } from "../tenants/password-links.ts";
import { emptyForm, field, requireFields } from "./forms.ts";
import { type Html, html } from "./html.ts";
import { layout } from "./layout.ts";
import type { PageServices } from "./pages.ts";
import { noticeOf, redirect, sendHtml } from "./respond.ts";
import { providerLink } from "./single-sign-on.ts";
import { timeOf } from "./time.ts";

const notices = {
  connected: "The provider is connected: you can sign in with it from now on.",
  proved: "The host said who you are there. What you may use is updated in a moment.",
  mailed: "A mail with a link to set a new password was sent.",
};

/** The page of one's own account: its projects, and how it signs in. */
export function accountPage({
  store,
  visitors,
  issuer,
  mailer,
  githubApp,
  ownOrigin,
  fetches,
  allowHosts,
}: PageServices & Pick<HostServices, "fetches" | "allowHosts">): Router {
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
    const hosts = await hostsOf(store, account);
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
        hosts.length > 0 &&
        html`<h2>Git hosts</h2>
          <p>
            These hosts decide what you may use in your projects. To let them, prove who you are there. The service
            keeps your number and name there, and no token.
          </p>
          ${hosts.map((host) => hostSection(host, githubApp))}`
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

  router.post("/account/host", async (request, response) => {
    const account = visitors.requireAccount(request);
    const { token, ...place } = requireFields(ProofForm, request);
    await requireAddressAttempt(store, request.ip ?? "");
    const signal = untilLeft(response);
    await proveByToken({ store, fetches, allowHosts }, account, { ...place, token }, { signal });
    redirect(response, "/account?done=proved");
  });

  return router;
}

const ProofForm = NewGitToken.pick({ token: true, username: true }).extend({ host: z.string() });

/** The least right with which a token shows whose it is. */
const proofs: Readonly<Record<HostKind, string>> = {
  github: "A fine-grained token without any permission is enough.",
  gitlab: "A personal access token with the scope read_user is enough.",
  gitea: "An access token with the scope read:user is enough.",
  bitbucket: "An API token with the scope read:user:bitbucket is enough.",
};

function hostSection({ kind, host, login, isIssuer }: OwnHost, githubApp: GitHubApp | undefined): Html {
  const isKnown = login !== null || isIssuer;
  const known =
    login === null
      ? isIssuer
        ? html`You are known there by your sign-in with it.`
        : html`You have not proved who you are there.`
      : html`You are <strong>${login}</strong> there.`;
  const title = html`<h3>${host}</h3>
    <p>${known}</p>`;
  if (githubApp?.host === host) {
    return html`${title}
      <p><a class="button" href="/account/github">Connect ${isKnown ? "another" : "your"} GitHub account</a></p>`;
  }
  return html`${title}
    <form method="post" action="/account/host" class="card">
      <input type="hidden" name="host" value="${host}" />
      ${
        kind === "bitbucket" &&
        field(emptyForm, {
          name: "username",
          id: `username-${host}`,
          label: "E-mail address of your Atlassian account",
        })
      }
      ${field(emptyForm, {
        name: "token",
        id: `token-${host}`,
        label: "A token of yours",
        type: "password",
        autocomplete: "off",
        hint: `${proofs[kind]} The host is asked once whose it is; delete it there afterwards.`,
      })}
      <button>Prove ${isKnown ? "another account" : "who you are"} at ${host}</button>
    </form>`;
}
