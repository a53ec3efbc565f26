import path from "node:path";

/** A line of a file. */
export interface EditorPlace {
  file: string;
  /** 1-based. */
  line: number;
}

/** How each family of editors takes a line. Others get only the file. */
const forms: readonly { names: RegExp; args: (place: EditorPlace) => string[] }[] = [
  {
    names: /^(?:code|code-insiders|codium|cursor|windsurf|positron)$/,
    args: ({ file, line }) => ["--goto", `${file}:${line}`],
  },
  { names: /^(?:hx|helix|zed|zeditor|subl|lapce)$/, args: ({ file, line }) => [`${file}:${line}`] },
  {
    names: /^(?:idea|webstorm|pycharm|goland|clion|rubymine|phpstorm|rustrover)(?:64)?$/,
    args: ({ file, line }) => ["--line", String(line), file],
  },
  {
    names: /^(?:vi|vim|nvim|gvim|view|nano|emacs|emacsclient|micro|kak|joe|mg|ne|pico)$/,
    args: ({ file, line }) => [`+${line}`, file],
  },
];

/** The command that opens a file at a line, from `VISUAL` or `EDITOR`, which may have arguments. */
export function editorCommand(
  place: EditorPlace,
  { env, platform }: { env: Readonly<Record<string, string | undefined>>; platform: NodeJS.Platform },
): string[] {
  const configured = [env["VISUAL"], env["EDITOR"]].find((value) => value !== undefined && value.trim() !== "");
  const [program = "vi", ...args] = (configured ?? (platform === "win32" ? "notepad" : "vi")).trim().split(/\s+/);
  const name = path.basename(program.replaceAll("\\", "/")).replace(/\.(?:exe|cmd|sh)$/i, "");
  const form = forms.find(({ names }) => names.test(name));
  return [program, ...args, ...(form?.args(place) ?? [place.file])];
}
