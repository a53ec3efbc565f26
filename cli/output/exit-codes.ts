/** The exit codes of the process. This file imports nothing: `--version` loads it. */
export const exitCodes = {
  ok: 0,
  failure: 1,
  usage: 2,
  notFound: 3,
  citationsFailed: 4,
  auth: 5,
  network: 6,
  resource: 7,
  limitReached: 8,
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;

/** What each exit code means. `--help` and `docs/errors.md` are made from this table. */
export const exitCodeMeanings: readonly (readonly [code: number, meaning: string])[] = [
  [exitCodes.ok, "ok"],
  [exitCodes.failure, "failure: bad configuration, a problem of this computer, a port in use, or no answer"],
  [exitCodes.usage, "wrong usage, or a file named on the command line that cannot be read"],
  [exitCodes.notFound, "no such configured resource, file or thread; no search result; no citation; no evidence"],
  [exitCodes.citationsFailed, "a citation failed (ask --strict, recheck, verify), or a link leads nowhere (verify)"],
  [exitCodes.auth, "key or sign-in missing or refused"],
  [exitCodes.network, "provider or network failed"],
  [exitCodes.resource, "a resource could not be fetched, read or stored, or citations of it not be checked"],
  [exitCodes.limitReached, "the answer is partial: limit on steps, tokens, cost or length, or content filter"],
  [exitCodes.hungUp, "the terminal was closed"],
  [exitCodes.interrupted, "interrupted (Ctrl+C)"],
  [exitCodes.terminated, "terminated"],
];

/** The end of a help text. */
export function exitCodeHelp(): string {
  const lines = exitCodeMeanings.map(([code, meaning]) => `  ${String(code).padEnd(4)} ${hang(meaning)}\n`);
  return `Exit codes:\n${lines.join("")}`;
}

/** Wrapped below its own beginning, for 80 columns. */
function hang(text: string): string {
  return text.replaceAll(/(.{1,72})(?: |$)/g, "$1\n       ").trimEnd();
}
