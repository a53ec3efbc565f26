import { type CryptoKey, importJWK, type JWTHeaderParameters, type JWTPayload, SignJWT } from "jose";
import type { Configuration } from "oidc-provider";
import { type Interact, startProviderServer } from "./provider-server.ts";

/** A person at the provider. */
export interface Person {
  subject: string;
  email?: string;
  isVerified?: boolean;
}

/** A team's OpenID Connect provider on loopback. */
export interface SignInProvider extends AsyncDisposable {
  issuer: string;
  /** The client of the hosted service. */
  clientId: string;
  clientSecret: string;
  /**
   * The client of MCP clients: public, registered beforehand, redirects to `http://127.0.0.1` with any port and
   * `/callback`.
   */
  agentClientId: string;
  /** Who sits before the browser: signs in and consents at once; undefined refuses. */
  person: Person | undefined;
  /** How often its keys were fetched. */
  keyRequests(): number;
  /** A token with the provider's signature, or with that of another `key`. */
  sign(claims: JWTPayload, header?: Partial<JWTHeaderParameters>, key?: CryptoKey): Promise<string>;
}

/** The scopes that the provider has for the service. */
export const agentScopes = "citewell:ask citewell:read citewell:manage";

/** @param options.scopes of the service, as the provider knows them */
export async function signInProvider({ scopes = "" }: { scopes?: string } = {}): Promise<SignInProvider> {
  const people = new Map<string, Person>();
  const clientId = "citewell";
  const clientSecret = "a secret of the test that is long enough";
  const agentClientId = "agent";
  const interact: Interact = async (request, response, provider) => {
    const { prompt, params, session } = await provider.interactionDetails(request, response);
    const { person } = own;
    if (person === undefined) {
      const denied = { error: "access_denied", error_description: "the person said no" };
      return provider.interactionFinished(request, response, denied, { mergeWithLastSubmission: false });
    }
    people.set(person.subject, person);
    if (prompt.name === "login") {
      return provider.interactionFinished(request, response, { login: { accountId: person.subject } });
    }
    const grant = new provider.Grant({
      accountId: session?.accountId ?? person.subject,
      clientId: String(params["client_id"]),
    });
    grant.addOIDCScope(`openid email ${scopes}`);
    if (typeof params["resource"] === "string") grant.addResourceScope(params["resource"], scopes);
    const consent = { grantId: await grant.save() };
    return provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
  };
  const configuration = {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        application_type: "native",
        token_endpoint_auth_method: "client_secret_basic",
        redirect_uris: ["http://127.0.0.1/sign-in/callback"],
      },
      {
        client_id: agentClientId,
        application_type: "native",
        token_endpoint_auth_method: "none",
        redirect_uris: ["http://127.0.0.1/callback"],
      },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"] },
    scopes: ["openid", ...scopes.split(" ").filter((scope) => scope !== "")],
    features: {
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_ctx, resource) => ({
          scope: scopes,
          audience: resource,
          accessTokenFormat: "jwt",
          jwt: { sign: { alg: "ES256" } },
        }),
        useGrantedResource: () => true,
      },
    },
    findAccount: (_ctx, accountId) => ({
      accountId,
      claims: () => {
        const { email, isVerified = false } = people.get(accountId) ?? {};
        return { sub: accountId, ...(email === undefined ? {} : { email, email_verified: isVerified }) };
      },
    }),
    pkce: { required: () => true },
  } satisfies Configuration;
  const server = await startProviderServer(configuration, interact);
  const { issuer, key } = server;
  let keyRequests = 0;
  server.provider.use(async (ctx, next) => {
    if (ctx.path === "/jwks") keyRequests++;
    await next();
  });
  const own: SignInProvider = {
    issuer,
    clientId,
    clientSecret,
    agentClientId,
    person: undefined,
    keyRequests: () => keyRequests,
    async sign(claims, header = {}, otherKey) {
      const jwt = new SignJWT(claims).setProtectedHeader({ alg: "ES256", kid: "first", ...header });
      return jwt.sign(otherKey ?? (await importJWK(key, "ES256")));
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
  return own;
}
