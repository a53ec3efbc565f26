/**
 * Matches the path, in lower case, of a document for those who work on the project: its contributors and their agents.
 * It repeats the words of the project, but does not say how the project behaves.
 */
export const guidancePath =
  /(?:^|\/)(?:(?:agents?|claude|gemini|copilot-instructions|llms|contributing|contributors|code_of_conduct|security|maintaining|maintainers|governance|hacking|releasing|support|roadmap|vision|tenets|todo|issues|pull_requests|commits|code_style)(?:[-_.][\w.-]*)?\.(?:md|markdown|mdx|rst|adoc|txt)|(?:\.ai|\.claude|\.cursor|\.gemini|\.windsurf|\.agents?|\.github)\/(?:.*\/)?[^/]+\.(?:mdc?|markdown|rst|txt))$/;

/** Matches the path, in lower case, of a list of changes, or of a post that tells them. */
export const changesPath =
  /(?:^|\/)(?:blog|_posts)\/(?:.*\/)?[^/]+\.(?:md|mdx|markdown|rst|adoc|html)$|(?:^|\/)(?:changelogs?|\.changesets?|rel(?:ease[-_]?)?notes|newsfragments)\/|(?:^|\/)(?:[\w.]+[-_](?=changes|changelog|upgrade)|v?\d[\w.-]*[-_](?=migrat))?(?:changes|changelog|history|releases?|release[_-]notes|news|whatsnew|upgrad(?:e|ing)|migrat\w+)(?:(?:[-_.][\w.-]*)?\.(?:md|markdown|mdx|rst|adoc|txt|mit|apache\w*))?$/;

/** Matches a question that someone who works on the project would ask. */
export const asksForGuidance =
  /\b(?:contribut\w*|agents?|claude|security|vulnerab\w*|pull requests?|prs?|patch(?:es)?|conventions?|coding style|commit messages?|maintain\w*|code of conduct|governance|guidelines?|roadmap|from source)\b|\bhow\b.*\b(?:tests?|build|built|lint\w*|releases?|released)\b/i;
