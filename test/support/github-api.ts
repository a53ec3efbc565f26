import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text as readText } from "node:stream/consumers";
import { jwtVerify } from "jose";
import * as z from "zod";
import type { GitHubAppSettings } from "../../server/hosted/github/github-app.ts";
import { parseJson } from "../../server/lib/parse-json.ts";

/** An installation of the app. */
export interface ScriptedInstallation {
  id: number;
  account: string;
  /** The repositories to which the account gave the app access. */
  repositories: string[];
  /** How many of them the person at the browser may read; all by default. */
  readable?: number;
  isSuspended?: boolean;
}

/** GitHub's pages and its API for one app, as on an Enterprise Server: on the origin of the git server. */
export interface GitHubApi {
  settings: GitHubAppSettings;
  /** Those that exist; a test changes them. */
  installations: ScriptedInstallation[];
  /** What the person does at the page to install the app. */
  onInstall: () => void;
  /** The person at the browser. */
  person: { id: number; login: string };
  /** Who may read each repository, by `owner/name`; the other repositories do not exist. */
  collaborators: Map<string, number[]>;
  /** How a person who is asked to authorize the app answers. */
  isRefusing: boolean;
  /** All tokens that were made, of people and of installations. */
  tokens: string[];
  /** Of each token of an installation, the repositories that it reads. */
  grants: Map<string, string[] | undefined>;
  /** The paths of its requests. */
  requests: string[];
  /** Answers a request that is for GitHub; false if it is git's. */
  answer(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
  /** Whether git's request for `owner/name` has a token that reads it now. */
  mayRead(request: IncomingMessage, repository: string): boolean;
}

/** @param options.origin of the git server @param options.callback where GitHub sends people back to */
export function createGitHubApi({ origin, callback }: { origin: string; callback: () => string }): GitHubApi {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  // The key in the format of GitHub: PKCS #1.
  const pem = privateKey.export({ type: "pkcs1", format: "pem" }).toString();
  const settings = {
    slug: "citewell-team",
    clientId: "Iv23client",
    clientSecret: "the secret of the app at GitHub",
    privateKey: pem,
    apiUrl: `${origin}/api/v3`,
  };
  const codes = new Set<string>();
  const people = new Set<string>();

  const isApp = async (request: IncomingMessage) => {
    try {
      const key = createPublicKey(createPrivateKey(pem));
      const { payload } = await jwtVerify(bearerOf(request), key, {
        algorithms: ["RS256"],
        issuer: settings.clientId,
        maxTokenAge: 600,
      });
      return (payload.exp ?? 0) - Date.now() / 1000 <= 600;
    } catch {
      return false;
    }
  };
  const newToken = (prefix: string) => {
    const token = `${prefix}_${randomBytes(18).toString("hex")}`;
    own.tokens.push(token);
    return token;
  };
  const newCode = () => {
    const code = randomBytes(10).toString("hex");
    codes.add(code);
    return code;
  };

  async function reply(request: IncomingMessage, url: URL): Promise<Reply | undefined> {
    const { pathname, searchParams } = url;
    const [, id = "", rest = ""] = /^\/api\/v3\/(?:user|app)\/installations\/(\d+)\/(.*)$/.exec(pathname) ?? [];
    const installation = own.installations.find((one) => String(one.id) === id);
    if (pathname === "/login/oauth/authorize") {
      const back = new URL(searchParams.get("redirect_uri") ?? "");
      back.searchParams.set("state", searchParams.get("state") ?? "");
      back.searchParams.set(own.isRefusing ? "error" : "code", own.isRefusing ? "access_denied" : newCode());
      return { status: 302, location: back.href };
    }
    if (pathname === `/github-apps/${settings.slug}/installations/new`) {
      own.onInstall();
      const back = new URL(callback());
      back.searchParams.set("state", searchParams.get("state") ?? "");
      back.searchParams.set("installation_id", "666");
      back.searchParams.set("setup_action", "install");
      return { status: 302, location: back.href };
    }
    if (pathname === "/login/oauth/access_token") {
      const {
        client_id: client,
        client_secret: secret,
        code,
      } = z.record(z.string(), z.string()).parse(parseJson(await readText(request)));
      if (client !== settings.clientId || secret !== settings.clientSecret) {
        return { status: 200, body: { error: "incorrect_client_credentials" } };
      }
      if (!codes.delete(code ?? "")) return { status: 200, body: { error: "bad_verification_code" } };
      const token = newToken("ghu");
      people.add(token);
      return { status: 200, body: { access_token: token, token_type: "bearer" } };
    }
    if (pathname === "/api/v3/user") {
      return people.has(bearerOf(request)) ? { status: 200, body: own.person } : badCredentials;
    }
    const [, repository = ""] = /^\/api\/v3\/repos\/(.+)\/collaborators$/.exec(pathname) ?? [];
    if (repository !== "") {
      // GitHub does not tell upper and lower case apart.
      const isSame = (text = "", other = "") => text.toLowerCase() === other.toLowerCase();
      const [owner] = repository.split("/");
      if (!isSame(holders.get(bearerOf(request)), owner)) return badCredentials;
      const length = Number(searchParams.get("per_page") ?? 30);
      const start = (Number(searchParams.get("page") ?? 1) - 1) * length;
      const [, all] = [...own.collaborators].find(([name]) => isSame(name, repository)) ?? [];
      if (all === undefined) return { status: 404, body: { message: "Not Found" } };
      const body = all.map((id) => ({ id: Math.abs(id), login: `user-${id}`, permissions: { pull: id > 0 } }));
      url.searchParams.set("page", String(start / length + 2));
      const link = start + length < body.length ? `<${url.href}>; rel="next"` : undefined;
      return { status: 200, body: body.slice(start, start + length), ...(link && { link }) };
    }
    if (pathname === "/api/v3/installation/repositories") {
      const installed = own.installations.find(({ account }) => holders.get(bearerOf(request)) === account);
      if (installed === undefined) return badCredentials;
      const repositories = installed.repositories.map((name, index) => ({
        id: installed.id * 1000 + index,
        full_name: `${installed.account}/${name}`,
        clone_url: `${origin}/${installed.account}/${name}.git`,
        default_branch: "main",
        private: true,
        fork: false,
        archived: false,
        size: 1,
      }));
      return { status: 200, body: { total_count: repositories.length, repositories } };
    }
    if (rest === "access_tokens") {
      if (!(await isApp(request))) return badCredentials;
      if (installation === undefined) return { status: 404, body: { message: "Not Found" } };
      if (installation.isSuspended === true) {
        return { status: 403, body: { message: "This installation has been suspended" } };
      }
      const { repositories } = TokenRequest.parse(parseJson(await readText(request)));
      if (repositories?.some((name) => !installation.repositories.includes(name)) === true) {
        const message = "There is at least one repository that does not exist or is not accessible";
        return { status: 422, body: { message } };
      }
      const token = newToken("ghs");
      own.grants.set(token, repositories);
      holders.set(token, installation.account);
      return { status: 201, body: { token, expires_at: new Date(Date.now() + 3600_000).toISOString() } };
    }
    if (pathname.startsWith("/api/v3/user/installations")) {
      if (!people.has(bearerOf(request))) return badCredentials;
      if (rest === "repositories" && installation !== undefined) {
        const { readable = installation.repositories.length } = installation;
        return { status: 200, body: { total_count: readable, repositories: [] } };
      }
      const length = Number(searchParams.get("per_page") ?? 30);
      const start = (Number(searchParams.get("page") ?? 1) - 1) * length;
      const installations = own.installations
        .slice(start, start + length)
        .map(({ id: number, account, isSuspended = false }) => ({
          id: number,
          account: { login: account },
          suspended_at: isSuspended ? "2026-11-01T00:00:00Z" : null,
        }));
      return { status: 200, body: { total_count: own.installations.length, installations } };
    }
    return undefined;
  }

  const holders = new Map<string, string>();
  const own: GitHubApi = {
    settings,
    installations: [],
    onInstall: () => {},
    person: { id: 1, login: "ada" },
    collaborators: new Map(),
    isRefusing: false,
    tokens: [],
    grants: new Map(),
    requests: [],
    async answer(request, response) {
      const answered = await reply(request, new URL(request.url ?? "/", origin));
      if (answered === undefined) return false;
      own.requests.push(`${request.method} ${request.url}`);
      const { status, body, location, link } = answered;
      const headers =
        location === undefined ? { "content-type": "application/json", ...(link && { link }) } : { location };
      response.writeHead(status, headers).end(body === undefined ? "" : JSON.stringify(body));
      return true;
    },
    mayRead({ headers }, repository) {
      const [, credential = ""] = /^Basic (.+)$/.exec(headers.authorization ?? "") ?? [];
      const [user, token = ""] = Buffer.from(credential, "base64").toString().split(":");
      const [owner, name = ""] = repository.split("/");
      const installation = own.installations.find(({ account }) => account === owner);
      const isGranted = own.grants.get(token)?.includes(name) === true && holders.get(token) === owner;
      return user === "x-access-token" && isGranted && installation?.isSuspended !== true && installation !== undefined;
    },
  };
  return own;
}

interface Reply {
  status: number;
  body?: unknown;
  location?: string;
  link?: string;
}

const badCredentials: Reply = { status: 401, body: { message: "Bad credentials" } };

const TokenRequest = z.object({
  repositories: z.array(z.string()).optional(),
  permissions: z.strictObject({ contents: z.literal("read") }),
});

function bearerOf({ headers }: IncomingMessage): string {
  return /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1] ?? "";
}
