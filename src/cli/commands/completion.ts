import { defineCommand, invalidArgument } from "../arguments/command.ts";

type Shell = "bash" | "zsh" | "fish" | "powershell";

/**
 * The script that a shell runs on Tab. All of them call tsbuilder itself, so completions match the installed version:
 * `tsbuilder __complete WORDS...` prints one completion per line, a tab and its description.
 */
export const completionScripts: Readonly<Record<Shell, string>> = {
  bash: String.raw`_tsbuilder() {
  local IFS=$'\n' line
  COMPREPLY=()
  for line in $(tsbuilder __complete "${"$"}{COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null); do
    line="${"$"}{line%%$'\t'*}"
    [[ "$line" == "${"$"}{COMP_WORDS[COMP_CWORD]}"* ]] && COMPREPLY+=("$line")
  done
}
complete -o default -F _tsbuilder tsbuilder`,
  zsh: String.raw`#compdef tsbuilder
_tsbuilder() {
  local -a proposals
  local line
  while IFS=$'\t' read -r line meaning; do
    proposals+=("${"$"}{line//:/\\:}:$meaning")
  done < <(tsbuilder __complete "${"$"}{(@)words[2,CURRENT]}" 2>/dev/null)
  _describe 'tsbuilder' proposals || _files
}
compdef _tsbuilder tsbuilder`,
  fish: String.raw`complete -c tsbuilder -f -a '(tsbuilder __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'`,
  powershell: String.raw`Register-ArgumentCompleter -Native -CommandName tsbuilder -ScriptBlock {
  param($word, $ast, $position)
  $words = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($word -eq '') { $words += '' }
  tsbuilder __complete @words 2>$null | ForEach-Object {
    $parts = $_ -split "${"`"}t", 2
    if ($parts[0] -like "$word*") {
      [System.Management.Automation.CompletionResult]::new($parts[0], $parts[0], 'ParameterValue', ($parts[1] + ' '))
    }
  }
}`,
};

const shells = Object.keys(completionScripts) as Shell[];

export const completion = defineCommand({
  flags: {},
  positionals: [`<${shells.join("|")}>`],
  examples: [
    'eval "$(tsbuilder completion bash)"',
    "tsbuilder completion zsh > ~/.zfunc/_tsbuilder",
    "tsbuilder completion fish > ~/.config/fish/completions/tsbuilder.fish",
    "tsbuilder completion powershell | Out-String | Invoke-Expression",
  ],
  async run({ positionals: [shell = ""], ui }) {
    const known = shells.find((name) => name === shell);
    if (known === undefined) {
      throw invalidArgument(`completion is not available for "${shell}"`, `use one of ${shells.join(", ")}`);
    }
    ui.print(completionScripts[known]);
  },
});
