import * as z from "zod";

/** The kinds of git host whose accounts can be followed. */
export const hostKinds = ["github", "gitlab", "gitea", "bitbucket"] as const;
export const HostKind = z.enum(hostKinds);
export type HostKind = z.infer<typeof HostKind>;

/** The names of the kinds, as people know them. */
export const hostKindNames: Readonly<Record<HostKind, string>> = {
  github: "GitHub",
  gitlab: "GitLab",
  gitea: "Gitea or Forgejo",
  bitbucket: "Bitbucket Cloud",
};
