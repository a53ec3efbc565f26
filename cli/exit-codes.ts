/** What the process's exit code means (docs/errors.md and `--help` list it). Imports nothing: `--version` loads it. */
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
  interrupted: 130,
  terminated: 143,
} as const;

export const exitCodeHelp = `Exit codes:
  0 ok   1 failure   2 wrong usage   3 not found or no evidence   4 a citation failed (--strict, recheck, verify)
  5 key missing or refused   6 provider or network failed   7 a resource could not be read
  8 step or token limit reached   130 interrupted   143 terminated`;
