import { CitewellError } from "../../server/errors.ts";
import { type AddressOptions, readPublicUrl, requireUrl } from "./hosted-address.ts";

/** The options of single sign-on. */
export interface SingleSignOnOptions extends AddressOptions {
  oidcIssuer?: string;
  oidcClientId?: string;
  oidcDomain: string[];
  oidcProject?: string;
}

/** The settings of single sign-on; the secret comes from the environment only. @throws InvalidUsage */
export function readSingleSignOn(options: SingleSignOnOptions, env: Readonly<Record<string, string | undefined>>) {
  // An empty variable counts as unset.
  const given = (value: string | undefined) => (value === "" ? undefined : value);
  const publicUrl = readPublicUrl(options);
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
