import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { explainOutput } from "./explain-output.ts";
import type { Step } from "./read-steps.ts";

/** Runs a command line in the reader's project and returns what it printed; undefined if it is left out. */
export type RunCommand = (command: string) => Promise<string | undefined>;

/** Does what pages say in a folder, which commands may change, as a reader who types what they show; compares the output. */
export async function followSteps(
  steps: readonly Step[],
  at: { readonly folder: string },
  run: RunCommand,
): Promise<void> {
  for (const step of steps) {
    if (step.does !== "run") {
      writeStep(step, at.folder);
      continue;
    }
    const printed = await run(step.command).catch((cause: unknown) => {
      throw new Error(`${step.at}: ${step.command} failed`, { cause });
    });
    if (printed === undefined || step.shown === undefined) continue;
    const difference = explainOutput(step.shown, printed);
    if (difference !== undefined) throw new Error(`${step.at}: ${step.command}: ${difference}`);
  }
}

function writeStep({ does, path, content }: Exclude<Step, { does: "run" }>, folder: string): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  if (does === "append") appendFileSync(file, content);
  else writeFileSync(file, content);
}
