import { createHash } from "node:crypto";
import { jwtVerify, SignJWT } from "jose";
import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import type { GitHubApp } from "./github-app.ts";

/** An installation that a person may connect to a project. */
export const Offer = z.object({ installation: z.string(), account: z.string() });
export type Offer = z.infer<typeof Offer>;

/** The ids of the project and the account that an offer is made to. */
export interface OfferHolder {
  project: string;
  account: string;
}

const minutes = 10;

/**
 * Signs an offer, so that the form that accepts it cannot name another installation. Every node has the app's secret, so
 * any of them can check it.
 */
export async function signOffer(app: GitHubApp, offer: Offer, { project, account }: OfferHolder): Promise<string> {
  const jwt = new SignJWT({ ...offer }).setProtectedHeader({ alg: "HS256" }).setAudience(project).setSubject(account);
  return jwt.setExpirationTime(`${minutes} minutes`).sign(keyOf(app));
}

/** @throws InvalidRequest (changed, of another person or project, or older than 10 minutes) */
export async function readOffer(app: GitHubApp, text: string, { project, account }: OfferHolder): Promise<Offer> {
  try {
    const { payload } = await jwtVerify(text, keyOf(app), {
      algorithms: ["HS256"],
      audience: project,
      subject: account,
      requiredClaims: ["exp"],
    });
    return Offer.parse(payload);
  } catch (cause) {
    throw new CitewellError("InvalidRequest", "this choice was offered to someone else, or more than 10 minutes ago", {
      hint: "start again on the page Repository tokens",
      cause,
    });
  }
}

/** A separate key, so that other signatures made with the secret are not accepted as offers. */
function keyOf({ clientSecret }: GitHubApp): Uint8Array {
  return createHash("sha256").update(`citewell offer\0${clientSecret}`).digest();
}
