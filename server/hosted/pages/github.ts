import { randomBytes } from "node:crypto";
import { type Request, type Response, Router } from "express";
import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import { parseJson } from "../../lib/parse-json.ts";
import type { GitHubAccount } from "../../protocol/hosted.ts";
import { untilLeft } from "../../transports/http/response.ts";
import type { GitHubApp, Installation } from "../github/github-app.ts";
import { connectGitHubAccount, disconnectGitHubAccount, listGitHubAccounts } from "../github/installations.ts";
import { readOffer, signOffer } from "../github/offers.ts";
import { recordPerson } from "../host-rights/people.ts";
import { requireAddressAttempt } from "../tenants/accounts.ts";
import { actionButton, fieldOf } from "./forms.ts";
import { type Html, html } from "./html.ts";
import { layout } from "./layout.ts";
import type { PageServices } from "./pages.ts";
import { redirect, sendHtml } from "./respond.ts";
import { table } from "./table.ts";
import { timeOf } from "./time.ts";
import { cookieValue, type Visitor } from "./visitors.ts";

const cookieName = "__Host-citewell-github";
const cookie = { path: "/", secure: true, httpOnly: true, sameSite: "lax" } as const;
const flowMinutes = 60;
const callbackPath = "/github/callback";

/** A pending connection. Stored in a cookie, so that no other browser can finish it. */
const Flow = z.object({
  state: z.string(),
  /** Absent if a person proves who they are. */
  project: z.string().optional(),
});
type Flow = z.infer<typeof Flow>;

/**
 * Connecting GitHub accounts. These are links, because the content security policy does not allow forms to redirect to
 * GitHub. The installation id in GitHub's redirect is ignored, because anyone can forge it: people choose from the
 * installations that GitHub lists for them.
 */
export function githubPages({ store, visitors, githubApp, ownOrigin }: PageServices): Router {
  const router = Router();
  if (githubApp === undefined) return router;
  const redirectUri = () => ownOrigin() + callbackPath;

  router.post("/p/:project/github/:id/disconnect", async (request, response) => {
    const { account, membership } = await visitors.requireMember(request, "admin");
    const { project } = membership;
    await disconnectGitHubAccount({ store, project, actor: `account:${account.id}` }, request.params.id);
    redirect(response, `/p/${project.name}/tokens?done=disconnected`);
  });

  router.get("/p/:project/github", async (request, response) => {
    const { membership } = await visitors.requireMember(request, "admin");
    const flow = { state: randomBytes(32).toString("base64url"), project: membership.project.name };
    keepFlow(response, flow);
    redirect(response, githubApp.authorizeUrl({ state: flow.state, redirectUri: redirectUri() }));
  });

  // GitHub redirects here after the authorization and after an installation.
  router.get(callbackPath, (request, response) => {
    const { state, project } = readFlow(request);
    const { code, error } = Answer.parse(request.query);
    if (error !== undefined) throw refused(error);
    if (code === undefined) redirect(response, githubApp.authorizeUrl({ state, redirectUri: redirectUri() }));
    else {
      const next = project === undefined ? "/account/github/proved" : `/p/${project}/github/accounts`;
      redirect(response, `${next}?${new URLSearchParams({ code, state }).toString()}`);
    }
  });

  router.get("/account/github", (request, response) => {
    visitors.requireAccount(request);
    const flow = { state: randomBytes(32).toString("base64url") };
    keepFlow(response, flow);
    redirect(response, githubApp.authorizeUrl({ state: flow.state, redirectUri: redirectUri() }));
  });

  router.get("/account/github/proved", async (request, response) => {
    const account = visitors.requireAccount(request);
    const { project } = readFlow(request);
    const { code = "" } = Answer.parse(request.query);
    if (project !== undefined) throw notStarted();
    await requireAddressAttempt(store, request.ip ?? "");
    const person = await githubApp.identify(code, { redirectUri: redirectUri(), signal: untilLeft(response) });
    await recordPerson(store, account, { ...person, host: githubApp.host });
    response.clearCookie(cookieName, cookie);
    redirect(response, "/account?done=proved");
  });

  router.get("/p/:project/github/accounts", async (request, response) => {
    const visitor = await visitors.requireMember(request, "admin");
    const { state, project } = readFlow(request);
    const { code = "" } = Answer.parse(request.query);
    if (project !== visitor.membership.project.name) throw notStarted();
    await requireAddressAttempt(store, request.ip ?? "");
    const signal = untilLeft(response);
    const installations = await githubApp.installationsOf(code, { redirectUri: redirectUri(), signal });
    const connected = await listGitHubAccounts(store, visitor.membership.project);
    const rows = await Promise.all(
      installations.map((installation) => installationRow(installation, { app: githubApp, visitor, connected })),
    );
    sendHtml(response, installationsPage({ visitor, rows, app: githubApp, state }));
  });

  router.post("/p/:project/github", async (request, response) => {
    const { account, membership } = await visitors.requireMember(request, "admin");
    const { project } = membership;
    const offer = await readOffer(githubApp, fieldOf(request, "offer"), { project: project.id, account: account.id });
    const services = { store, project, actor: `account:${account.id}` };
    await connectGitHubAccount(services, { ...offer, host: githubApp.host });
    response.clearCookie(cookieName, cookie);
    redirect(response, `/p/${project.name}/tokens?done=connected`);
  });

  return router;
}

/** The GitHub accounts of a project, for the page of its tokens. */
export function accountsSection(accounts: readonly GitHubAccount[], base: string): Html {
  return html`<h2>GitHub accounts</h2>
    <p>
      This project reads the repositories to which a connected account has given the service’s GitHub App access. No
      token is needed. The repositories are kept for this project alone.
    </p>
    ${table({
      caption: "Connected accounts",
      columns: ["Account", "State", "Last used", "Actions"],
      rows: accounts.map((account) => [
        `${account.host}/${account.account}`,
        stateOf(account),
        timeOf(account.lastUsedAt, "never"),
        actionButton({
          action: `${base}/github/${account.id}/disconnect`,
          label: "Disconnect",
          of: account.account,
          warning: "The files of its repositories are removed, and its private ones can no longer be read.",
        }),
      ]),
      empty: "No account is connected.",
    })}
    <p><a class="button" href="${base}/github">Connect a GitHub account</a></p>`;
}

function stateOf({ failure, failingSince, lastUsedAt }: GitHubAccount): Html {
  if (failingSince !== null) {
    return html`<span class="bad">failing since ${timeOf(failingSince, "")}: ${failure ?? ""}</span>`;
  }
  return lastUsedAt === null ? html`not used yet` : html`works`;
}

async function installationRow(
  { id: installation, account, isSuspended, repositories, readable }: Installation,
  { app, visitor, connected }: { app: GitHubApp; visitor: Visitor; connected: readonly GitHubAccount[] },
) {
  const { membership, account: person } = visitor;
  if (isSuspended) return [account, "", "The app is suspended for this account."];
  // Otherwise the project would give a person access to repositories that GitHub hides from them.
  if (readable < repositories) {
    const why = `You may read ${readable} of its ${repositories} repositories. Someone who may read all can connect it.`;
    return [account, String(repositories), why];
  }
  const offer = await signOffer(app, { installation, account }, { project: membership.project.id, account: person.id });
  const isConnected = connected.some(
    (one) => one.host === app.host && one.account.toLowerCase() === account.toLowerCase(),
  );
  const label = isConnected ? "Connect again" : "Connect";
  const action = `/p/${membership.project.name}/github`;
  return [account, String(repositories), actionButton({ action, label, of: account, fields: { offer } })];
}

function installationsPage({
  visitor: { account, membership },
  rows,
  app,
  state,
}: {
  visitor: Visitor;
  rows: readonly (readonly (Html | string)[])[];
  app: GitHubApp;
  state: string;
}): Html {
  const path = `/p/${membership.project.name}/tokens`;
  const title = "Connect a GitHub account";
  const main = html`<h1>${title}</h1>
    <p>
      All members of ${membership.project.name} can then ask about the repositories to which the account gives the app
      access, now and later.
    </p>
    ${table({
      caption: "Accounts with the app",
      columns: ["Account", "Repositories", "Actions"],
      rows,
      empty: "The app is not installed for any of your accounts.",
    })}
    <p><a class="button" href="${app.installUrl(state)}">Install the app for an account</a></p>
    <p>There you also choose the repositories. GitHub brings you back here.</p>
    <p><a href="${path}">Back to the tokens</a></p>`;
  return layout({ title, main, account, membership, current: path });
}

const text = z.string().optional().catch(undefined);
/** The query parameters of GitHub's redirect that are used. */
const Answer = z.object({ code: text, error: text });

function keepFlow(response: Response, flow: Flow): void {
  const value = Buffer.from(JSON.stringify(flow)).toString("base64url");
  response.cookie(cookieName, value, { ...cookie, maxAge: flowMinutes * 60_000 });
}

/** @throws SignInFailed (another browser or another start) */
function readFlow(request: Pick<Request, "get" | "query">): Flow {
  const value = parseJson(Buffer.from(cookieValue(request, cookieName) ?? "", "base64url").toString());
  const flow = Flow.safeParse(value).data;
  if (flow === undefined || request.query["state"] !== flow.state) throw notStarted();
  return flow;
}

function notStarted(): CitewellError {
  return new CitewellError(
    "SignInFailed",
    "connecting GitHub was not started in this browser, or more than an hour ago",
    {
      hint: "start again on the page Repository tokens",
    },
  );
}

function refused(error: string): CitewellError {
  return new CitewellError("SignInFailed", `GitHub refused the connection (${error.slice(0, 100)})`, {
    hint: "start again on the page Repository tokens",
  });
}
