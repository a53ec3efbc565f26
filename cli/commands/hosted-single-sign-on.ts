import { CitewellError } from "../../server/errors.ts";
import { isLoopback } from "../../server/lib/loopback.ts";
import { quoteValue } from "../../server/protocol/validation.ts";

/** The options of single sign-on. */
export interface SingleSignOnOptions {
  publicUrl?: string;
  oidcIssuer?: string;
  oidcClientId?: string;
  oidcDomain: string[];
  oidcProject?: string;
}

/** The settings of single sign-on; the secret comes from the environment only. @throws InvalidUsage */
export function readSingleSignOn(options: SingleSignOnOptions, env: Readonly<Record<string, string | undefined>>) {
  // An empty variable is none.
  const given = (value: string | undefined) => (value === "" ? undefined : value);
  const address = given(options.publicUrl);
  const publicUrl = address === undefined ? undefined : readOrigin(address);
  const issuer = given(options.oidcIssuer);
  if (issuer === undefined) {
    if (options.oidcDomain.length === 0) return { publicUrl, oidc: undefined };
    throw new CitewellError("InvalidUsage", "--oidc-domain needs --oidc-issuer", { hint });
  }
  requireUrl("--oidc-issuer", issuer);
  const clientId = given(options.oidcClientId);
  if (clientId === undefined) throw new CitewellError("InvalidUsage", "--oidc-issuer needs --oidc-client-id", { hint });
  if (publicUrl === undefined) throw new CitewellError("InvalidUsage", "--oidc-issuer needs --public-url", { hint });
  const clientSecret = given(env["CITEWELL_OIDC_CLIENT_SECRET"]);
  const { oidcDomain: domains, oidcProject: project } = options;
  return { publicUrl, oidc: { issuer, clientId, clientSecret, domains, project } };
}

const hint = "docs/hosted.md, Single sign-on, has an example";

function readOrigin(text: string): string {
  const { origin, pathname, search } = requireUrl("--public-url", text);
  if (pathname === "/" && search === "") return origin;
  throw new CitewellError("InvalidUsage", `--public-url ${quoteValue(text)} has a path`, {
    hint: `the service uses all paths of its host: ${origin}`,
  });
}

function requireUrl(option: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(text))) return url;
  throw new CitewellError("InvalidUsage", `${option} ${quoteValue(text)} is no https address`, {
    hint: "http is allowed on this computer only: http://localhost:8484",
  });
}
