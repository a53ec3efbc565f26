/** How `verify`, `upgrade` and `compare` report. This file imports nothing: every command line loads it. */
export const verifyFormats = ["text", "github", "gitlab", "sarif"] as const;
/** One of `verifyFormats`. */
export type VerifyFormat = (typeof verifyFormats)[number];
export const upgradeFormats = ["text", "markdown", "json", "sarif"] as const;
/** One of `upgradeFormats`. */
export type UpgradeFormat = (typeof upgradeFormats)[number];
export const compareFormats = ["text", "markdown", "json"] as const;
/** One of `compareFormats`. */
export type CompareFormat = (typeof compareFormats)[number];
