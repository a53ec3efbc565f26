import type { Configuration } from "oidc-provider";
import { createBrowser } from "./browser.ts";
import { type Interact, startProviderServer } from "./provider-server.ts";

/** An authorization server on loopback. */
export interface OAuthServer extends AsyncDisposable {
  issuer: string;
  /** The registered public client. */
  clientId: string;
  /** Sets the user's decision for later sign-ins. */
  decide(decision: "approve" | "deny"): void;
  /** Revokes all sign-ins, as a user can on the account page. */
  revokeAll(): Promise<void>;
  /** The types of all successful grants. */
  grants: string[];
  /** Acts as the user's browser: follows a link, gives or denies consent, and returns the text of the last page. */
  browse(url: string): Promise<string>;
  /** The same for the page that asks for a device code. */
  typeCode(url: string): Promise<string>;
}

/** Starts a real authorization server on loopback: codes with PKCE, device codes, rotating refresh tokens. */
export async function oauthServer({ tokenSeconds = 3600 }: { tokenSeconds?: number } = {}): Promise<OAuthServer> {
  const grants: string[] = [];
  let decision: "approve" | "deny" = "approve";
  const grantIds = new Set<string>();
  const clientId = "citewell-test";

  const interact: Interact = async (request, response, provider) => {
    const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
    if (prompt.name === "login") {
      return provider.interactionFinished(request, response, { login: { accountId: "ann" } });
    }
    if (decision === "deny") {
      const denied = { error: "access_denied", error_description: "ann said no" };
      return provider.interactionFinished(request, response, denied, { mergeWithLastSubmission: false });
    }
    const found = grantId === undefined ? undefined : await provider.Grant.find(grantId);
    const grant =
      found ?? new provider.Grant({ accountId: session?.accountId ?? "ann", clientId: String(params["client_id"]) });
    grant.addOIDCScope("openid offline_access");
    const consent = { grantId: await grant.save() };
    grantIds.add(consent.grantId);
    return provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
  };
  const configuration = {
    clients: [
      {
        client_id: clientId,
        application_type: "native",
        token_endpoint_auth_method: "none",
        grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
        response_types: ["code"],
        redirect_uris: ["http://127.0.0.1/callback"],
      },
    ],
    features: {
      devInteractions: { enabled: false },
      deviceFlow: {
        enabled: true,
        userCodeInputSource: async (ctx, form) => {
          ctx.body = form;
        },
        userCodeConfirmSource: async (ctx, form) => {
          ctx.body = form;
        },
        successSource: async (ctx) => {
          ctx.body = "signed in";
        },
      },
    },
    findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    pkce: { required: () => true },
    ttl: {
      AccessToken: tokenSeconds,
      RefreshToken: 86_400,
      Grant: 86_400,
      Session: 86_400,
      Interaction: 600,
      DeviceCode: 600,
      AuthorizationCode: 60,
      IdToken: 600,
    },
    scopes: ["openid", "offline_access"],
  } satisfies Configuration;
  const server = await startProviderServer(configuration, interact);
  const { issuer, provider } = server;
  provider.on("grant.success", ({ oidc }) => grants.push(String(oidc.params?.["grant_type"])));
  // The default poll interval of 5 seconds would slow down tests.
  provider.use(async (ctx, next) => {
    await next();
    const isDevice = ctx.path === "/device/auth" && typeof ctx.body === "object" && ctx.body !== null;
    if (isDevice) ctx.body = { ...ctx.body, interval: 0.02 };
  });
  const browser = createBrowser();
  return {
    issuer,
    clientId,
    decide(next) {
      decision = next;
    },
    async revokeAll() {
      for (const id of grantIds) await (await provider.Grant.find(id))?.destroy();
    },
    grants,
    browse: async (url) => (await browser.open(url)).text,
    async typeCode(url) {
      let page = await browser.open(url);
      // The first page asks for the code, the second to confirm it.
      for (let forms = 0; forms < 3 && page.text.includes("<form"); forms++) page = await browser.submit(page);
      return page.text;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
