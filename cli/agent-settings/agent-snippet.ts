/** For AGENTS.md, CLAUDE.md, a skill or a rule: when to ask Citewell, and how to pass on what it cites. */
export const agentSnippet = `## Citewell

Before you state how a library or another repository works, ask citewell: \`listResources\` shows what is configured;
\`npm:<package>\` (the version that is installed here) and https git URLs work as well.

- \`search\` and \`read\` to find and look at one thing; \`ask\` for how something works across files.
- Cite what you state as \`path:start-end\`, with the link that citewell gave: \`[src/retry.ts:10-20](citewell:/…)\`.
- Copy citations as they are. Say of any that is not "verified" what it is (relocated, not read, mismatch, out of range, missing).
- Verified means that the text is there and was read; whether it proves your claim is for you to judge.
- Run \`verify\` on a text that cites files before you hand it over.
`;
