/** How `verify` and `upgrade` report. This file imports nothing: every command line loads it. */
export const verifyFormats = ["text", "github", "gitlab", "sarif"] as const;
/** One of `verifyFormats`. */
export type VerifyFormat = (typeof verifyFormats)[number];
export const upgradeFormats = ["text", "markdown", "json", "sarif"] as const;
/** One of `upgradeFormats`. */
export type UpgradeFormat = (typeof upgradeFormats)[number];
