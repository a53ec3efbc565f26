import { type Request, Router } from "express";
import { CitewellError } from "../../errors.ts";
import { AccountForm } from "../../protocol/followed-forms.ts";
import {
  formatGitPlace,
  type GitHubAccount,
  type GitToken,
  GitTokenReplacement,
  NewGitToken,
} from "../../protocol/hosted.ts";
import { listGitHubAccounts } from "../github/installations.ts";
import { type HostRights, letAdminsDecide, letHostDecide, listHostRights } from "../host-rights/places.ts";
import { addGitToken, listGitTokens, removeGitToken, replaceGitToken } from "../secrets/git-tokens.ts";
import { actionButton, emptyForm, field, type Form, formErrors, parseForm } from "./forms.ts";
import { accountsSection } from "./github.ts";
import { rightsSection } from "./host-rights.ts";
import { type Html, html } from "./html.ts";
import { layout } from "./layout.ts";
import type { PageServices } from "./pages.ts";
import { noticeOf, redirect, sendHtml } from "./respond.ts";
import { table } from "./table.ts";
import { timeOf } from "./time.ts";
import type { Visitor } from "./visitors.ts";

const notices = {
  added: "The token is stored. The repositories of its host are being fetched with it.",
  replaced: "The token is replaced. The repositories of its host are being fetched with the new one.",
  removed: "The token is removed, with the files that were fetched with it.",
  connected: "The account is connected. Its repositories are being fetched.",
  rights: "The host decides now. It is asked in a moment.",
  admins: "Admins decide now.",
  disconnected: "The account is disconnected, and the files of its repositories are removed.",
};

/** A project's tokens for git hosts: add, replace, remove. They are never shown. And whose host decides who may use what. */
export function tokenPages({ store, keys, visitors, githubApp }: PageServices): Router {
  const router = Router();
  const listed = ({ membership }: Visitor) => listGitTokens(store, membership.project);
  const show = async (visitor: Visitor, form: Form, { notice, rightsForm = emptyForm }: ShowOptions = {}) => {
    const { project } = visitor.membership;
    const accounts = githubApp && (await listGitHubAccounts(store, project));
    const rights = await listHostRights(store, project);
    return tokensPage({ visitor, tokens: await listed(visitor), accounts, rights, form, rightsForm, notice });
  };
  const servicesFor = ({ account, membership: { project } }: Visitor) => ({
    store,
    keys,
    project,
    actor: `account:${account.id}`,
  });

  router.get("/p/:project/tokens", async (request, response) => {
    const visitor = await visitors.requireMember(request, "admin");
    const form = { ...emptyForm, values: { host: hostIn(request) } };
    const notice = noticeOf(request, notices);
    sendHtml(response, await show(visitor, form, { notice }));
  });

  router.post("/p/:project/tokens", async (request, response) => {
    const visitor = await visitors.requireMember(request, "admin");
    const { data, form } = parseForm(NewGitToken, request);
    const refuse = async (shown: Form) => sendHtml(response, await show(visitor, shown), 400);
    if (data === undefined) return refuse(form);
    try {
      await addGitToken(servicesFor(visitor), { ...data, host: formatGitPlace(data.host) });
    } catch (error) {
      if (!(error instanceof CitewellError) || error.tag !== "AlreadyExists") throw error;
      return refuse({ ...form, errors: { host: error.message } });
    }
    return redirect(response, `/p/${visitor.membership.project.name}/tokens?done=added`);
  });

  router.get("/p/:project/tokens/:token", async (request, response) => {
    const visitor = await visitors.requireMember(request, "admin");
    sendHtml(response, replacePage({ visitor, token: requireToken(await listed(visitor), request), form: emptyForm }));
  });

  router.post("/p/:project/tokens/:token", async (request, response) => {
    const visitor = await visitors.requireMember(request, "admin");
    const token = requireToken(await listed(visitor), request);
    const { data, form } = parseForm(GitTokenReplacement, request);
    if (data === undefined) return sendHtml(response, replacePage({ visitor, token, form }), 400);
    await replaceGitToken(servicesFor(visitor), { host: token.id, token: data.token });
    return redirect(response, `/p/${visitor.membership.project.name}/tokens?done=replaced`);
  });

  router.post("/p/:project/tokens/:token/remove", async (request, response) => {
    const visitor = await visitors.requireMember(request, "admin");
    await removeGitToken(servicesFor(visitor), requireToken(await listed(visitor), request).id);
    redirect(response, `/p/${visitor.membership.project.name}/tokens?done=removed`);
  });

  router.post("/p/:project/rights", async (request, response) => {
    const visitor = await visitors.requireMember(request, "admin");
    const { data: place, form } = parseForm(AccountForm, request);
    const refuse = async (rightsForm: Form) => sendHtml(response, await show(visitor, emptyForm, { rightsForm }), 400);
    if (place === undefined) return refuse(form);
    try {
      await letHostDecide(servicesFor(visitor), place);
    } catch (error) {
      if (!(error instanceof CitewellError) || error.tag !== "AlreadyExists") throw error;
      return refuse({ ...form, errors: { place: error.message } });
    }
    return redirect(response, `/p/${visitor.membership.project.name}/tokens?done=rights`);
  });

  router.post("/p/:project/rights/:id/end", async (request, response) => {
    const visitor = await visitors.requireMember(request, "admin");
    await letAdminsDecide(servicesFor(visitor), request.params.id);
    redirect(response, `/p/${visitor.membership.project.name}/tokens?done=admins`);
  });

  return router;
}

interface ShowOptions {
  notice?: string | undefined;
  rightsForm?: Form;
}

/** The host that a link of the resources page names. */
function hostIn({ query: { host } }: Request<object>): string {
  return typeof host === "string" ? host.slice(0, 260) : "";
}

/** @throws TokenNotFound */
function requireToken(tokens: readonly GitToken[], { params }: Request<{ token: string }>): GitToken {
  const found = tokens.find(({ id }) => id === params.token);
  if (found === undefined) throw new CitewellError("TokenNotFound", "this project has no such token");
  return found;
}

interface TokensPageOptions {
  visitor: Visitor;
  tokens: readonly GitToken[];
  /** Undefined if the operator has no GitHub App. */
  accounts: readonly GitHubAccount[] | undefined;
  rights: readonly HostRights[];
  form: Form;
  rightsForm: Form;
  notice?: string | undefined;
}

function tokensPage({ visitor, tokens, accounts, rights, form, rightsForm, notice }: TokensPageOptions): Html {
  const { account, membership } = visitor;
  const base = `/p/${membership.project.name}`;
  const path = `${base}/tokens`;
  const main = html`<h1>Repository tokens</h1>
    ${
      accounts !== undefined &&
      html`${accountsSection(accounts, base)}
        <h2>Tokens</h2>`
    }
    <p>
      A token lets this project read private repositories of a git host. Create a read-only token, limited to the
      repositories that you want to ask about. It is stored encrypted and never shown again.
    </p>
    <p>
      While there is a token for a host, all repositories of that host are fetched with it and kept for this project
      alone. A token for one owner takes precedence over one for the whole host.
    </p>
    ${table({
      caption: "Tokens of this project",
      columns: ["Host", "Name", "Begins with", "State", "Last used", "Actions"],
      rows: tokens.map((token) => tokenRow(token, path)),
      empty: `There are no tokens yet${(accounts ?? []).length === 0 ? ": only public repositories can be read" : ""}.`,
    })}
    <h2>Add a token</h2>
    <form method="post" action="${path}" class="card">
      ${formErrors(form)}
      ${field(form, { name: "host", label: "Host", hint: "Such as github.com, or github.com/acme for the repositories of one owner only." })}
      ${field(form, { name: "name", label: "Name", hint: "Whose token it is, or what it may read." })}
      ${tokenField(form)}
      ${field(form, {
        name: "username",
        label: "User name",
        hint: "Only if the host requires one, as for GitLab deploy tokens and Bitbucket.",
        isOptional: true,
      })}
      <button>Add the token</button>
    </form>
    ${rightsSection(rights, { base, form: rightsForm })}`;
  return layout({ title: "Repository tokens", main, account, membership, current: path, notice });
}

function tokenField(form: Form): Html {
  return field(form, { name: "token", label: "Token", type: "password", autocomplete: "off" });
}

function tokenRow(token: GitToken, path: string) {
  const { id, name, hint, lastUsedAt } = token;
  const place = formatGitPlace(token);
  const actions = html`<div class="actions">
    <a href="${path}/${id}" aria-label="Replace the token for ${place}">Replace</a>
    ${actionButton({
      action: `${path}/${id}/remove`,
      label: "Remove",
      of: `the token for ${place}`,
      warning: "The files that were fetched with it are removed, and its private repositories can no longer be read.",
    })}
  </div>`;
  const begins = hint === "" ? "" : html`<code>${hint}…</code>`;
  return [place, name, begins, stateOf(token), timeOf(lastUsedAt, "never"), actions];
}

function stateOf({ failure, failingSince, lastUsedAt }: GitToken): Html {
  if (failingSince !== null) {
    return html`<span class="bad">failing since ${timeOf(failingSince, "")}: ${failure ?? ""}</span>`;
  }
  return lastUsedAt === null ? html`not used yet` : html`works`;
}

function replacePage({
  visitor: { account, membership },
  token,
  form,
}: {
  visitor: Visitor;
  token: GitToken;
  form: Form;
}): Html {
  const { id, name } = token;
  const place = formatGitPlace(token);
  const path = `/p/${membership.project.name}/tokens`;
  const main = html`<h1>Replace the token for ${place}</h1>
    <p>“${name}” keeps its name. The old token is no longer used.</p>
    <form method="post" action="${path}/${id}" class="card">
      ${formErrors(form)} ${tokenField(form)}
      <button>Replace the token</button>
    </form>
    <p><a href="${path}">Back to the tokens</a></p>`;
  return layout({ title: `Replace the token for ${place}`, main, account, membership, current: path });
}
