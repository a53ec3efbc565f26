import type { Style } from "./style.ts";

/** What decides the style of a stream. */
export interface StreamFacts {
  /** Whether this stream is a terminal: standard output and standard error may differ. */
  isTTY: boolean;
  columns?: number | undefined;
  env: Readonly<Record<string, string | undefined>>;
  platform: NodeJS.Platform;
  /** `color: false` is `--no-color`, `linear` is `--screen-reader`. */
  flags?: { color?: boolean | undefined; linear?: boolean | undefined };
}

/** What people read at where nothing says how wide the terminal is. */
const defaultWidth = 80;
const leastWidth = 20;

/** The capabilities of a stream, from the variables that terminals and users set. The terminal is not queried. */
export function detectStyle(facts: StreamFacts): Style {
  const { isTTY, columns } = facts;
  const color = hasColor(facts);
  return {
    layout: isTTY || color,
    color,
    linear: isLinear(facts),
    links: hasLinks(facts),
    inVscode: facts.env["TERM_PROGRAM"] === "vscode",
    unicode: hasUnicode(facts),
    width: isTTY && columns !== undefined && columns > 0 ? Math.max(columns, leastWidth) : defaultWidth,
  };
}

function isLinear({ env, flags }: StreamFacts): boolean {
  return flags?.linear === true || env["TERM"] === "dumb";
}

/**
 * The flag decides, then NO_COLOR (https://no-color.org), then what forces colour (https://force-color.org,
 * https://bixense.com/clicolors), then whether it is a terminal that knows colours.
 */
function hasColor({ isTTY, env, flags }: StreamFacts): boolean {
  if (flags?.color === false || flags?.linear === true || isSet(env["NO_COLOR"])) return false;
  if (isSet(env["FORCE_COLOR"])) return isOn(env["FORCE_COLOR"]);
  if (isSet(env["CLICOLOR_FORCE"]) && isOn(env["CLICOLOR_FORCE"])) return true;
  return isTTY && env["TERM"] !== "dumb" && env["CLICOLOR"] !== "0";
}

/**
 * Terminals that are known to show OSC 8 hyperlinks (https://github.com/Alhadis/OSC8-Adoption); FORCE_HYPERLINK says
 * so for others. VTE before 0.50.1 crashed on them. Multiplexers are left out: they swallow or garble them.
 */
function hasLinks({ isTTY, env }: StreamFacts): boolean {
  if (isSet(env["FORCE_HYPERLINK"])) return isOn(env["FORCE_HYPERLINK"]);
  const term = env["TERM"] ?? "";
  if (!isTTY || term === "dumb" || isSet(env["CI"]) || isSet(env["TMUX"]) || /^(?:screen|tmux)/.test(term))
    return false;
  if (Number(env["VTE_VERSION"] ?? 0) > 5000) return true;
  if (isSet(env["WT_SESSION"]) || isSet(env["KITTY_WINDOW_ID"]) || isSet(env["KONSOLE_VERSION"])) return true;
  return linkTerms.has(term) || linkPrograms.has(env["TERM_PROGRAM"] ?? "");
}

const linkTerms: ReadonlySet<string> = new Set(["xterm-kitty", "xterm-ghostty", "alacritty", "foot", "wezterm"]);
const linkPrograms: ReadonlySet<string> = new Set(["iTerm.app", "WezTerm", "vscode", "ghostty", "rio", "Tabby", "zed"]);

/** From the locale; on Windows, whose consoles have code pages, from the terminals that are known to show UTF-8. */
function hasUnicode({ env, platform }: StreamFacts): boolean {
  if (env["TERM"] === "linux" || env["TERM"] === "dumb") return false;
  if (platform === "win32") {
    return (
      isSet(env["WT_SESSION"]) || linkPrograms.has(env["TERM_PROGRAM"] ?? "") || env["ConEmuTask"] === "{cmd::Cmder}"
    );
  }
  const locale = [env["LC_ALL"], env["LC_CTYPE"], env["LANG"]].find(isSet);
  return locale === undefined ? platform === "darwin" : /utf-?8/i.test(locale);
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== "";
}

function isOn(value: string): boolean {
  return value !== "0" && value !== "false";
}
