/** The folder into which `npm test` installs the package managers. Ignored by git. */
export const managersFolder: string;

/** Their packages with versions, by the names that tests use. npm comes with Node. */
export const testedManagers: Readonly<Record<"pnpm" | "yarn" | "berry" | "bun", string>>;
