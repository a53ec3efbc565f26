import { type Request, type RequestHandler, type Response, Router } from "express";
import { CitewellError } from "../../errors.ts";
import { type Log, withFields } from "../../lib/log.ts";
import type { ClientSnippet } from "../../protocol/hosted.ts";
import { untilLeft } from "../../transports/http/response.ts";
import { ownClients } from "../limits/clients.ts";
import type { RateLimit } from "../limits/rate.ts";
import type { SealingKeys } from "../secrets/sealing-keys.ts";
import type { Store } from "../store/store.ts";
import type { GitHubApp } from "../github/github-app.ts";
import type { Mailer } from "../mail/mailer.ts";
import { createPasswords, type Passwords } from "../tenants/passwords.ts";
import type { OpenProject, ProjectUse } from "../projects/project-app.ts";
import type { ProjectCall } from "../projects/registered.ts";
import { requestLog } from "../http/request-id.ts";
import type { HostFetches } from "../git-hosts/host-fetches.ts";
import type { Issuer } from "../sign-in/issuer.ts";
import { accountPage } from "./account.ts";
import { askPages } from "./ask.ts";
import { assets } from "./assets.ts";
import { auditPages } from "./audit.ts";
import { readForm } from "./forms.ts";
import { originOf, refuseNul, requireSameOrigin, setPageHeaders } from "./guard.ts";
import { followedPages } from "./followed.ts";
import { githubPages } from "./github.ts";
import { groupPages } from "./groups.ts";
import { keyPages } from "./keys.ts";
import { mailSignInPages } from "./mail-sign-in.ts";
import { memberPages } from "./members.ts";
import { newPasswordPage } from "./new-password.ts";
import { overviewPage } from "./overview.ts";
import { projectList } from "./projects.ts";
import { resourceAccessPages } from "./resource-access.ts";
import { resourcePages } from "./resources.ts";
import { redirect, showErrors } from "./respond.ts";
import { signInPages } from "./sign-in.ts";
import { singleSignOnPages } from "./single-sign-on.ts";
import { sharePages } from "./share.ts";
import { sourcePage } from "./source.ts";
import { tokenPages } from "./tokens.ts";
import { usagePages } from "./usage.ts";
import { createVisitors, type Visitor, type Visitors } from "./visitors.ts";
import { webhookPages } from "./webhook.ts";

/** What the pages need. */
export interface PageOptions {
  store: Store;
  /** Open the sealed secrets of the projects. */
  keys: SealingKeys;
  /** The operations of a project. */
  openFor(use: ProjectUse): OpenProject;
  /** The origin at which people and clients reach the service; that of each request by default. */
  publicUrl?: string | undefined;
  /** What clients are configured with to use a key. */
  snippetsFor(server: { url: string; key: string }): readonly ClientSnippet[];
  /** The limit of questions, for each account. */
  rateLimit: RateLimit;
  /** The milliseconds after which a question ends with what is answered. */
  deadlineMs: number;
  /** The issuer for single sign-on. */
  issuer?: Issuer | undefined;
  /** Hashes passwords; by default with the recommended cost. */
  passwords?: Passwords | undefined;
  /** Undefined if the operator has set no mail server. */
  mailer?: Mailer | undefined;
  /** The app for private repositories on GitHub. */
  githubApp?: GitHubApp | undefined;
  /** For the APIs of git hosts. */
  fetches: HostFetches;
  allowHosts: readonly string[];
  /** The origin of links in mails, and for redirects back: the `Host` header of a request is the client's choice. */
  ownOrigin(): string;
  log: Log;
  /** Cancels what runs. */
  signal: AbortSignal;
}

/** What a page's call about the project works with, until the visitor leaves. */
export interface PageCall extends ProjectCall {
  /** After how many milliseconds a question ends with what is answered. */
  deadlineMs: number;
  log: Log;
}

/** What each page works with. */
export interface PageServices extends Pick<
  PageOptions,
  "store" | "keys" | "snippetsFor" | "rateLimit" | "issuer" | "githubApp" | "mailer" | "ownOrigin" | "log"
> {
  passwords: Passwords;
  visitors: Visitors;
  /** The origin for addresses that a page shows. */
  addressFor(request: Pick<Request, "protocol" | "host">): string;
  /** Calls the project's operations as the endpoint does, until the visitor leaves. */
  callFor(visitor: Visitor, response: Response, use?: Pick<ProjectUse, "addsLimited" | "share">): PageCall;
}

/** The web pages: server-rendered, complete without script. What is no page of theirs goes on. */
export function createPages(options: PageOptions): Router {
  const { store, log } = options;
  const visitors = createVisitors(store);
  const services: PageServices = {
    ...options,
    visitors,
    passwords: options.passwords ?? createPasswords(),
    addressFor: (request) => options.publicUrl ?? originOf(request),
    callFor: (visitor, response, use = {}) => callFor(visitor, { ...options, response, use }),
  };
  const router = Router();
  router.use(setPageHeaders);
  router.use("/assets", assets());
  router.use(requireSameOrigin, readForm, refuseNul, visitors.identify);
  router.use(
    signInPages(services),
    singleSignOnPages(services),
    mailSignInPages(services),
    newPasswordPage(services),
    accountPage({ ...services, fetches: options.fetches, allowHosts: options.allowHosts }),
    projectList(services),
    overviewPage(services),
    // Before the pages of conversations: `share` is not the id of one.
    sharePages(services),
    askPages(services),
    sourcePage(services),
    keyPages(services),
    resourcePages(services),
    resourceAccessPages(services),
    followedPages({ ...services, fetches: options.fetches, allowHosts: options.allowHosts }),
    groupPages(services),
    tokenPages(services),
    githubPages(services),
    webhookPages(services),
    memberPages(services),
    usagePages(services),
    auditPages(services),
  );
  router.use(toPageOfForm, refuseUnknown);
  router.use(showErrors(log));
  return router;
}

/** The address of a form that was sent, from the address bar or a reload: the page that it belongs to. */
const toPageOfForm: RequestHandler = (request, response, next) => {
  if (request.method !== "GET") return next();
  const [page] =
    /^\/p\/[^/]+\/(?:keys|resources|followed|groups|tokens|members|webhook|usage|github|rights)(?=\/|$)/.exec(
      request.path,
    ) ?? [];
  if (request.path === "/sign-out") return redirect(response, "/");
  if (request.path === "/sign-in/mail") return redirect(response, "/sign-in");
  if (/^\/account\/(?:password|host)$/.test(request.path)) return redirect(response, "/account");
  if (page === undefined) return next();
  return redirect(response, page.replace(/(?:github|rights)$/, "tokens"));
};

/** A browser gets a page; for a program the endpoint answers. */
const refuseUnknown: RequestHandler = (request, _response, next) => {
  if (request.accepts(["json", "html"]) !== "html") return next();
  throw new CitewellError("RouteNotFound", `there is no page ${request.path.slice(0, 200)}`);
};

const threadOperations = ["listThreads", "getThread", "deleteThread", "recheckThread"] as const;
const memberOperations = ["listResources", "ask", "search", "read", ...threadOperations] as const;
const adminOperations = [...memberOperations, "addResource", "refreshResource", "removeResource"] as const;

function callFor(
  { account, membership: { project, role } }: Visitor,
  {
    openFor,
    deadlineMs,
    log,
    signal,
    response,
    use,
  }: PageOptions & { response: Response; use: Pick<ProjectUse, "addsLimited" | "share"> },
): PageCall {
  const logFields = { project: project.name, account: account.id };
  const operations = new Set(role === "member" ? memberOperations : adminOperations);
  const caller = { id: account.id, isLocal: false, operations, limits: {}, logFields };
  const own = openFor({
    ...use,
    project,
    client: ownClients.page,
    reader: { kind: "account", id: account.id },
    account: account.id,
  });
  return {
    ...own.partsFor(caller),
    deadlineMs,
    log: withFields(requestLog(log, response), logFields),
    signal: AbortSignal.any([signal, untilLeft(response)]),
  };
}
