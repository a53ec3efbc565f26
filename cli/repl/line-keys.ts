import type { Choice } from "../prompt/picker.ts";
import type { Style } from "../render/style.ts";

/** The keys of the line mode, for `/help`. In its linear form the terminal edits the line. */
export function lineKeys({ linear }: Pick<Style, "linear">): readonly Choice[] {
  return [
    ...(linear
      ? []
      : [
          { label: "Tab", detail: "complete commands, mentions, folders, packages, branches" },
          { label: "Up, Down", detail: "earlier questions" },
        ]),
    { label: "Esc, Ctrl+C", detail: "stop the answer" },
    { label: "Ctrl+C, Ctrl+D", detail: "leave, when nothing is typed" },
    {
      label: "@",
      detail:
        "mention a resource: @name, @npm:package, @./folder, @https://…; it is asked about until another is mentioned. Without any, questions are about the open project and all that is configured",
    },
  ];
}
