import { createPrivateKey } from "node:crypto";
import { SignJWT } from "jose";
import * as z from "zod";
import { CitewellError, connectionFaultOf } from "../../errors.ts";
import type { Fetch } from "../../lib/fetch.ts";
import { parseJson } from "../../lib/parse-json.ts";
import type { HostPerson } from "../git-hosts/git-host.ts";
import { GitHubUser } from "../git-hosts/github.ts";

/** Settings of the operator's GitHub App, as shown by GitHub. */
export interface GitHubAppSettings {
  /** Its name in URLs. */
  slug: string;
  clientId: string;
  clientSecret: string;
  /** PEM. */
  privateKey: string;
  /** `https://api.github.com`, or `https://github.example.com/api/v3` of an Enterprise Server. */
  apiUrl: string;
}

/** An installation of the app, as the person who connects it sees it. */
export interface Installation {
  id: string;
  /** The user or organization that owns the repositories. */
  account: string;
  isSuspended: boolean;
  /** How many repositories it has, and how many of them the person may read. */
  repositories: number;
  readable: number;
}

/** A client of the app's host. */
export interface GitHubApp {
  clientSecret: string;
  /** The host as in URLs of repositories: `github.com`. */
  host: string;
  /** Where people install the app, or change its repositories. */
  installUrl(state: string): string;
  /** The address where a person authorizes the app to identify them. */
  authorizeUrl(options: { state: string; redirectUri: string }): string;
  /**
   * Lists the installations with a repository that the person can read, the first 1,000. Their token is used only for
   * this.
   * @param code of the redirect
   * @throws SignInFailed (the code is wrong, or was used), ServerFailed (GitHub refuses the app), ServerUnreachable
   */
  installationsOf(code: string, options: { redirectUri: string; signal: AbortSignal }): Promise<Installation[]>;
  /** The person who authorized the app. Their token is used only for this. @throws as `installationsOf` */
  identify(code: string, options: { redirectUri: string; signal: AbortSignal }): Promise<HostPerson>;
  /**
   * A token that reads one repository, for an hour; undefined if the app was given no access to it.
   * @throws RepositoryFailed (uninstalled, suspended, GitHub refuses the app or cannot be reached)
   */
  createToken(
    installation: { id: string; account: string },
    repository: string,
    options: { signal: AbortSignal },
  ): Promise<string | undefined>;
  /** A token that lists the repositories to which the app was given access, for an hour. @throws as `createToken` */
  createListingToken(installation: { id: string; account: string }, options: { signal: AbortSignal }): Promise<string>;
}

const timeoutMs = 10_000;
/** GitHub's largest page. It allows 100 requests at a time, so the installations of one page are looked up together. */
const pageLength = 100;
const pageLimit = 10;
/**
 * GitHub allows at most 10 minutes: https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app
 */
const jwtSeconds = 9 * 60;
const clockDriftSeconds = 60;

/** @param options.fetch with the proxies and certificates of this process */
export function createGitHubApp(settings: GitHubAppSettings, { fetch }: { fetch: Fetch }): GitHubApp {
  const { slug, clientId, clientSecret, apiUrl } = settings;
  const key = createPrivateKey(settings.privateKey);
  const web = webUrlOf(apiUrl);
  const host = new URL(web).host;
  const isEnterpriseServer = new URL(apiUrl).pathname !== "/";

  async function request(url: string, { method = "GET", token, body, signal }: GitHubRequest): Promise<GitHubAnswer> {
    try {
      const response = await fetch(url, {
        method,
        redirect: "error",
        headers: {
          accept: "application/vnd.github+json",
          "x-github-api-version": "2022-11-28",
          "user-agent": "citewell",
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      });
      return { status: response.status, body: parseJson(await response.text()) };
    } catch (error) {
      signal.throwIfAborted();
      const why = connectionFaultOf((error instanceof Error ? error.cause : undefined) ?? error);
      const { host: place } = new URL(url);
      throw new CitewellError("ServerUnreachable", `${place} could not be reached: ${why}`, { cause: error });
    }
  }

  async function signJwt(): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const jwt = new SignJWT({ iss: clientId }).setProtectedHeader({ alg: "RS256" });
    return jwt
      .setIssuedAt(now - clockDriftSeconds)
      .setExpirationTime(now + jwtSeconds)
      .sign(key);
  }

  async function requestToken(
    { id, account }: { id: string; account: string },
    { repositories, signal }: { repositories?: string[]; signal: AbortSignal },
  ): Promise<string | undefined> {
    const { status, body } = await request(`${apiUrl}/app/installations/${id}/access_tokens`, {
      method: "POST",
      token: await signJwt(),
      body: { permissions: { contents: "read" }, ...(repositories === undefined ? {} : { repositories }) },
      signal,
    });
    const { success, data } = TokenAnswer.safeParse(body);
    if (status === 201 && success) return data.token;
    const said = messageIn(body);
    // The response names the repository that does not exist or is not part of the installation.
    if (status === 422 && /repositor/i.test(said)) return undefined;
    throw tokenFailure({ status, said, account, host });
  }

  async function userToken(code: string, options: { redirectUri: string; signal: AbortSignal }): Promise<string> {
    const { redirectUri, signal } = options;
    const { body } = await request(`${web}/login/oauth/access_token`, {
      method: "POST",
      body: { client_id: clientId, client_secret: clientSecret, code, redirect_uri: redirectUri },
      signal,
    });
    const { success, data } = UserTokenAnswer.safeParse(body);
    if (success) return data.access_token;
    const { error = "no token was returned" } = UserTokenError.safeParse(body).data ?? {};
    if (error === "bad_verification_code") {
      throw new CitewellError("SignInFailed", "this sign-in at GitHub has expired or was already used", {
        hint: "start again on the page Repository tokens",
      });
    }
    throw new CitewellError("ServerFailed", `${host} does not accept this service's GitHub App: ${error}`, {
      hint: "the operator checks --github-client-id, CITEWELL_GITHUB_CLIENT_SECRET and the app's callback URL",
    });
  }

  async function read<Schema extends z.ZodType>(
    schema: Schema,
    path: string,
    { token, signal }: { token: string; signal: AbortSignal },
  ): Promise<z.output<Schema>> {
    const { status, body } = await request(`${apiUrl}${path}`, { token, signal });
    const { success, data } = schema.safeParse(body);
    if (status === 200 && success) return data;
    throw new CitewellError("ServerFailed", `${host} answered ${path} with status ${status}: ${messageIn(body)}`);
  }

  /** Undefined if GitHub makes no token for its repositories. */
  async function lookUp(
    { id, account, suspended_at: suspendedAt }: z.infer<typeof ListedInstallation>,
    { token, signal }: { token: string; signal: AbortSignal },
  ): Promise<Installation | undefined> {
    const one = { id: String(id), account: account.login };
    if (suspendedAt !== null) return { ...one, isSuspended: true, repositories: 0, readable: 0 };
    const own = await requestToken(one, { signal });
    if (own === undefined) return undefined;
    const all = await read(Counted, "/installation/repositories?per_page=1", { token: own, signal });
    const path = `/user/installations/${one.id}/repositories?per_page=1`;
    const theirs = await read(Counted, path, { token, signal });
    return { ...one, isSuspended: false, repositories: all.total_count, readable: theirs.total_count };
  }

  return {
    clientSecret,
    host,
    installUrl(state) {
      const url = new URL(`${web}/${isEnterpriseServer ? "github-apps" : "apps"}/${slug}/installations/new`);
      url.searchParams.set("state", state);
      return url.href;
    },
    authorizeUrl({ state, redirectUri }) {
      const url = new URL(`${web}/login/oauth/authorize`);
      for (const [name, value] of Object.entries({ client_id: clientId, redirect_uri: redirectUri, state })) {
        url.searchParams.set(name, value);
      }
      return url.href;
    },
    async installationsOf(code, { redirectUri, signal }) {
      const token = await userToken(code, { redirectUri, signal });
      const found: Installation[] = [];
      for (let page = 1; page <= pageLimit; page++) {
        const path = `/user/installations?per_page=${pageLength}&page=${page}`;
        const { installations } = await read(InstallationList, path, { token, signal });
        const looked = await Promise.all(installations.map((one) => lookUp(one, { token, signal })));
        found.push(...looked.filter((one) => one !== undefined));
        if (installations.length < pageLength) break;
      }
      return found;
    },
    async identify(code, { redirectUri, signal }) {
      const token = await userToken(code, { redirectUri, signal });
      return read(GitHubUser, "/user", { token, signal });
    },
    createToken: (installation, repository, { signal }) =>
      requestToken(installation, { repositories: [repository], signal }).catch(asRepositoryFailure),
    async createListingToken(installation, { signal }) {
      const token = await requestToken(installation, { signal }).catch(asRepositoryFailure);
      if (token !== undefined) return token;
      const { account } = installation;
      throw new CitewellError("RepositoryFailed", `${host} gave the GitHub App access to no repository of ${account}`, {
        hint: `an owner of ${account} chooses the repositories in the settings of the account, under GitHub Apps`,
      });
    },
  };
}

function asRepositoryFailure(error: unknown): never {
  if (!(error instanceof CitewellError) || error.tag !== "ServerUnreachable") throw error;
  const hint = "check the connection, then try again";
  throw new CitewellError("RepositoryFailed", error.message, { hint, cause: error });
}

interface GitHubRequest {
  method?: "GET" | "POST";
  token?: string;
  body?: unknown;
  signal: AbortSignal;
}

interface GitHubAnswer {
  status: number;
  /** Undefined if it is not JSON. */
  body: unknown;
}

const TokenAnswer = z.object({ token: z.string() });
const UserTokenAnswer = z.object({ access_token: z.string() });
const UserTokenError = z.object({ error: z.string() });
const Counted = z.object({ total_count: z.int() });
const ListedInstallation = z.object({
  id: z.int(),
  account: z.object({ login: z.string() }),
  suspended_at: z.string().nullable().default(null),
});
const InstallationList = z.object({ installations: z.array(ListedInstallation) });

function messageIn(body: unknown): string {
  return z.object({ message: z.string() }).safeParse(body).data?.message.slice(0, 300) ?? "no reason given";
}

/** The pages of the host whose API is at `apiUrl`: https://docs.github.com/rest/using-the-rest-api/getting-started */
function webUrlOf(apiUrl: string): string {
  const { protocol, host, pathname } = new URL(apiUrl);
  return `${protocol}//${pathname === "/" ? host.replace(/^api\./, "") : host}`;
}

function tokenFailure({
  status,
  said,
  account,
  host,
}: {
  status: number;
  said: string;
  account: string;
  host: string;
}): CitewellError {
  if (status === 404) {
    return new CitewellError("RepositoryFailed", `the GitHub App is no longer installed for ${account} on ${host}`, {
      hint: "connect the account again on the page Repository tokens, or disconnect it there",
    });
  }
  if (status === 403 && /suspended/i.test(said)) {
    return new CitewellError("RepositoryFailed", `the GitHub App is suspended for ${account} on ${host}`, {
      hint: `an owner of ${account} can end that in the settings of the account, under GitHub Apps`,
    });
  }
  return new CitewellError(
    "RepositoryFailed",
    `${host} issues no token to the GitHub App for ${account}: ${said} (status ${status})`,
    { hint: "the operator checks --github-client-id, --github-key and the app's permission Contents: read-only" },
  );
}
