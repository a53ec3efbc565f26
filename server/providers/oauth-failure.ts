import * as oauth from "oauth4webapi";
import { CitewellError, messageOf } from "../errors.ts";
import { maskText } from "../source/mask.ts";

/** Converts the error of a sign-in or renewal to a CitewellError. CitewellErrors are returned unchanged. */
export function oauthFailure(
  error: unknown,
  { provider, timedOutMs }: { provider: string; timedOutMs?: number | undefined },
): CitewellError {
  if (error instanceof CitewellError) return error;
  const again = { hint: `try again: citewell connect -p ${provider}`, cause: error };
  if (timedOutMs !== undefined) {
    const message = `the sign-in to ${provider} was not finished within ${inWords(timedOutMs)}`;
    return new CitewellError("ProviderTimeout", message, again);
  }
  if (error instanceof Error && error.name === "TimeoutError") {
    return new CitewellError("ProviderTimeout", `the sign-in server of ${provider} did not answer in time`, again);
  }
  const said = saidBy(error);
  if (said === undefined) {
    const why = maskText(messageOf((error instanceof Error ? error.cause : undefined) ?? error));
    return new CitewellError("ProviderFailed", `the sign-in to ${provider} failed: ${why}`, again);
  }
  const detail = maskText([said.error, said.description].filter((text) => text).join(": ")).slice(0, 300);
  switch (said.error) {
    case "access_denied":
      return new CitewellError("ProviderRefused", `the sign-in to ${provider} was refused (${detail})`, again);
    case "expired_token":
      return new CitewellError("ProviderTimeout", `the code for the sign-in to ${provider} has expired`, again);
    case "invalid_grant":
      return new CitewellError("ProviderNotConnected", `${provider} does not accept the sign-in (${detail})`, {
        hint: `sign in again: citewell connect -p ${provider}`,
        cause: error,
      });
    default:
      return new CitewellError("ProviderFailed", `the sign-in server of ${provider} refused: ${detail}`, {
        hint: `check providerOptions.${provider}.oauth in the global citewell.config.jsonc`,
        cause: error,
      });
  }
}

/** The server's error code and description (RFC 6749, 4.1.2.1 and 5.2). */
function saidBy(error: unknown): { error: string; description: string | undefined } | undefined {
  if (error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError) {
    return { error: error.error, description: error.error_description };
  }
  return undefined;
}

function inWords(ms: number): string {
  return ms < 120_000 ? `${ms / 1000} seconds` : `${Math.round(ms / 60_000)} minutes`;
}
