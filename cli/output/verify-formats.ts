/** How `verify` reports. This file imports nothing: every command line loads it. */
export const verifyFormats = ["text", "github", "gitlab", "sarif"] as const;
/** One of `verifyFormats`. */
export type VerifyFormat = (typeof verifyFormats)[number];
