import type { Choice } from "../prompt/picker.ts";

const rows: readonly (readonly [string, string])[] = [
  ["Enter", "ask; during an answer: ask next"],
  ["Alt+Enter, Shift+Enter, \\ Enter", "a new line"],
  ["Esc Esc", "stop the answer"],
  ["Ctrl+C", "clear the prompt; leave when it is empty"],
  ["Ctrl+Q", "leave"],
  ["Ctrl+Z", "suspend"],
  ["Up, Down", "earlier questions; within a long prompt, its lines"],
  ["Ctrl+R", "search earlier questions"],
  ["Tab", "complete commands, mentions, folders, packages, branches; on an empty prompt: read the answer"],
  ["Ctrl+N, Ctrl+P", "next and previous citation"],
  ["Shift+Up, Shift+Down, wheel", "scroll the cited lines"],
  ["Ctrl+O", "open the cited lines in $VISUAL or $EDITOR"],
  ["Ctrl+G", "write the question in $VISUAL or $EDITOR"],
  ["Ctrl+T", "unfold reasoning and lookups"],
  ["PageUp, PageDown, wheel", "scroll"],
  ["Ctrl+Home, Ctrl+End", "the beginning and the end"],
  [
    "n, N, Enter, J, K, r, t, /, Esc",
    "while reading: citations, open, scroll the cited lines, reasoning, lookups, search, back to the prompt",
  ],
  ["@", "mention a resource: @name, @npm:package, @./folder, @https://…"],
];

/** The keys of the full screen, for `/help`. */
export const screenKeys: readonly Choice[] = rows.map(([label, detail]) => ({ label, detail }));
