import { type CommandResult, run, type Shell, tryRun } from "../../../support/shell.ts";
import type { Sandbox } from "./sandbox.ts";

/** A shell whose commands run in the namespaces of a sandbox. */
export interface InsideShell {
  readonly run: (command: string, ...args: string[]) => Promise<CommandResult>;
  readonly tryRun: (command: string, ...args: string[]) => Promise<CommandResult>;
}

export function insideShell({ enter }: Pick<Sandbox, "enter">, shell: Shell): InsideShell {
  const [nsenter = "", ...words] = enter;
  // With a mount namespace of its own, a process starts in the root folder.
  const before = [...words, "env", `--chdir=${shell.folder}`];
  return {
    run: (...command) => run(shell, nsenter, ...before, ...command),
    tryRun: (...command) => tryRun(shell, nsenter, ...before, ...command),
  };
}
