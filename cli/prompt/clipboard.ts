import { spawn } from "node:child_process";
import { mkdtemp, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Terminal } from "../terminal.ts";

/** The place to which a text went. Only a system tool confirms that it is on the clipboard. */
export type Copied = { to: "clipboard" } | { to: "terminal" } | { to: "file"; file: string };

/** What a terminal takes through OSC 52 without cutting it; xterm's limit is larger. */
const terminalLimit = 74_994;

/** Copies with the system's tool, else through the terminal (OSC 52) unless it is plain, else into a file. */
export async function copyText(
  text: string,
  { env, platform, stdout, isPlain }: Pick<Terminal, "env" | "platform" | "stdout"> & { isPlain: boolean },
): Promise<Copied> {
  for (const [program, ...args] of toolsFor({ env, platform })) {
    if (program !== undefined && (await feed(program, args, text)))
      return { to: program === "tmux" ? "terminal" : "clipboard" };
  }
  const encoded = Buffer.from(text).toString("base64");
  if (!isPlain && encoded.length <= terminalLimit) {
    stdout.write(`\u001B]52;c;${encoded}\u0007`);
    return { to: "terminal" };
  }
  const file = path.join(await mkdtemp(path.join(os.tmpdir(), "citewell-copy-")), "copied.md");
  await writeFile(file, text, { mode: 0o600 });
  return { to: "file", file };
}

/** Over SSH the system's tools are those of the other computer. */
function toolsFor({ env, platform }: Pick<Terminal, "env" | "platform">): string[][] {
  const isSet = (name: string) => (env[name] ?? "") !== "";
  if (isSet("SSH_TTY") || isSet("SSH_CONNECTION")) return isSet("TMUX") ? [["tmux", "load-buffer", "-w", "-"]] : [];
  if (platform === "darwin") return [["pbcopy"]];
  if (platform === "win32" || isSet("WSL_DISTRO_NAME")) return [["clip.exe"]];
  return [
    ...(isSet("WAYLAND_DISPLAY") ? [["wl-copy"]] : []),
    ...(isSet("DISPLAY")
      ? [
          ["xclip", "-selection", "clipboard"],
          ["xsel", "--clipboard", "--input"],
        ]
      : []),
    ...(isSet("TMUX") ? [["tmux", "load-buffer", "-w", "-"]] : []),
  ];
}

function feed(program: string, args: readonly string[], text: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ["pipe", "ignore", "ignore"] });
    child.once("error", () => resolve(false));
    child.once("exit", (code) => resolve(code === 0));
    child.stdin.on("error", () => {});
    child.stdin.end(text);
  });
}
