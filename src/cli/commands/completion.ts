import { TsbuilderError } from "../../shared/errors.ts";
import { defineCommand } from "../command.ts";
import { completionScripts, type Shell } from "../completion-scripts.ts";

const shells = Object.keys(completionScripts) as Shell[];

export const completion = defineCommand({
  summary: "Print the script that completes commands and flags in a shell",
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
      throw new TsbuilderError(`there is no completion for "${shell}"`, {
        code: "INVALID_ARGUMENT",
        hint: `choose one of ${shells.join(", ")}`,
      });
    }
    ui.print(completionScripts[known]);
  },
});
