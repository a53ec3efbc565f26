import type { ProviderDefinition } from "./definition.ts";
import { openGenerateContent } from "./wires.ts";

const baseURL = "https://generativelanguage.googleapis.com/v1beta";

/** Gemini, with a key or a sign-in with the user's own OAuth client: https://ai.google.dev/gemini-api/docs/oauth */
export const google: ProviderDefinition = {
  name: "Google Gemini",
  auth: ["api", "oauth"],
  envVars: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
  baseURL,
  signIn: {
    flow: "browser",
    oauth: {
      issuer: "https://accounts.google.com",
      authorizationEndpoint: "https://accounts.google.com/o/oauth2/v2/auth",
      tokenEndpoint: "https://oauth2.googleapis.com/token",
      scopes: [
        "https://www.googleapis.com/auth/cloud-platform",
        "https://www.googleapis.com/auth/generative-language.retriever",
      ],
    },
    // Google returns a refresh token only with these parameters.
    parameters: { access_type: "offline", prompt: "consent" },
    acceptsOpencode: false,
    isSubscription: false,
    baseURL: () => baseURL,
  },
  api: { wire: "google" },
  pricedAs: (model) => ({ type: "listed", place: { providerId: "google" }, model }),
  openModel: openGenerateContent,
};
