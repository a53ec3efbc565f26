/** The kinds of git host whose accounts can be followed. Without zod, because the definitions of the command line name them. */
export const hostKinds = ["github", "gitlab", "gitea", "bitbucket"] as const;

/** The names of the kinds, as people know them. */
export const hostKindNames: Readonly<Record<(typeof hostKinds)[number], string>> = {
  github: "GitHub",
  gitlab: "GitLab",
  gitea: "Gitea or Forgejo",
  bitbucket: "Bitbucket Cloud",
};
