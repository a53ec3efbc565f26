import { exitCodes } from "../output/exit-codes.ts";
import { type Terminal, write } from "../terminal.ts";

/** The shells that `citewell completion` supports. */
export const shells = ["bash", "zsh", "fish", "powershell"] as const;
/** One of `shells`. */
export type Shell = (typeof shells)[number];

/** Prints the script that makes a shell complete our command line; it asks `citewell __complete` at each press of Tab. */
export async function completion(shell: Shell, terminal: Terminal): Promise<number> {
  await write(terminal.stdout, scripts[shell]);
  return exitCodes.ok;
}

/** Bash ends words at `:` and `@`, which names contain, so the line is split again. */
const bash = String.raw`# citewell completion for bash. In ~/.bashrc:  source <(citewell completion bash)
_citewell() {
  local line="${"$"}{COMP_LINE:0:COMP_POINT}" words current kept
  IFS=$' \t' read -ra words <<< "$line"
  [[ "$line" == *[[:space:]] ]] && words+=("")
  current="${"$"}{words[${"$"}{#words[@]}-1]}"
  kept="${"$"}{current%"${"$"}{COMP_WORDS[COMP_CWORD]}"}"
  local IFS=$'\n'
  COMPREPLY=($(citewell __complete -- "${"$"}{words[@]:1}" 2>/dev/null | cut -f1))
  COMPREPLY=("${"$"}{COMPREPLY[@]#"$kept"}")
}
complete -o default -F _citewell citewell
`;

const zsh = String.raw`#compdef citewell
# citewell completion for zsh. In ~/.zshrc, after compinit:  source <(citewell completion zsh)
_citewell() {
  local -a found
  found=("${"$"}{(@f)$(citewell __complete -- "${"$"}{(@)words[2,CURRENT]}" 2>/dev/null)}")
  found=("${"$"}{(@)found//:/\\:}")
  found=("${"$"}{(@)found/$'\t'/:}")
  if [[ -n "$found[1]" ]]; then _describe citewell found; else _files; fi
}
compdef _citewell citewell
`;

const fish = String.raw`# citewell completion for fish:  citewell completion fish > ~/.config/fish/completions/citewell.fish
function __citewell_complete
  set -l words (commandline -opc) (commandline -ct)
  citewell __complete -- $words[2..] 2>/dev/null
end
complete -c citewell -a '(__citewell_complete)'
`;

/** PowerShell before 7.3 drops empty arguments: a blank represents one. */
const powershell = String.raw`# citewell completion for PowerShell. In $PROFILE:  citewell completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName citewell -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($wordToComplete -eq '') { $words += ' ' }
  citewell __complete -- @words 2>$null | ForEach-Object {
    $value, $text = $_ -split [char]9, 2
    if (-not $text) { $text = $value }
    [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $text)
  }
}
`;

const scripts: Record<Shell, string> = { bash, zsh, fish, powershell };
