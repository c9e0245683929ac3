import { TsbuilderError } from "../../shared/errors.ts";
import { defineCommand } from "../command.ts";
import { completionScripts, type Shell } from "../completion-scripts.ts";

const shells = Object.keys(completionScripts) as Shell[];

export const completion = defineCommand({
  summary: "Print the shell completion script",
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
      throw new TsbuilderError(`completion is not available for "${shell}"`, {
        code: "INVALID_ARGUMENT",
        hint: `use one of ${shells.join(", ")}`,
      });
    }
    ui.print(completionScripts[known]);
  },
});
