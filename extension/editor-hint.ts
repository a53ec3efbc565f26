/**
 * A server hint in the editor's words: hints name commands of the terminal, which are replaced by the editor's. Other
 * hints stay as they are.
 */
export function editorHint(hint: string): string {
  return counterparts.reduce((text, [command, words]) => text.replaceAll(command, words), hint);
}

/** Commands by their titles in the palette, and views by their names. */
const counterparts: readonly (readonly [RegExp, string])[] = [
  [/citewell connect(?: -p [^\s,;)]+)?/g, "“Citewell: Connect Provider…”"],
  [/citewell add(?: \S+ --branch NAME)?/g, "“Citewell: Add Resource…”"],
  [/citewell remove \S+/g, "“Remove Resource” in the view Resources"],
  [/run: citewell resources/g, "look into the view Resources"],
  [/citewell resources lists/g, "the view Resources shows"],
  [/citewell threads lists/g, "the view History shows"],
  [
    /to ask without a model: citewell ask --provider builtin/g,
    "to ask without a model, choose the built-in provider by “Citewell: Choose Model…”",
  ],
  [/citewell clear/g, "“Citewell: Delete Downloaded Copies of Resources”"],
];
