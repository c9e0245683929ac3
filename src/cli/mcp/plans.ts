import { createHash } from "node:crypto";
import { TsbuilderError } from "../../shared/errors.ts";
import type { CommandLine } from "./command-line.ts";

/** What a command would write, as `--output json` reports it. */
export interface ShownPlan {
  readonly line: CommandLine;
  /** What `--diff` prints. */
  readonly diff: string;
}

/**
 * The plans that were shown in this session. A plan's name is made of what it writes, so a plan of the same command
 * that would write something else has another one.
 */
export class Plans {
  readonly #shown = new Map<string, ShownPlan>();

  /** Returns the plan's name. */
  show(plan: ShownPlan): string {
    const name = nameOf(plan);
    this.#shown.set(name, plan);
    return name;
  }

  /** The command line of a plan that was shown. */
  find(name: string): CommandLine {
    const plan = this.#shown.get(name);
    if (plan) return plan.line;
    throw new TsbuilderError(`no plan "${name}" was shown`, {
      code: "REFUSED",
      hint: "call the tool plan first, and show the user what it would write",
    });
  }
}

function nameOf({ line, diff }: ShownPlan): string {
  return createHash("sha256")
    .update(JSON.stringify([line, diff]))
    .digest("hex")
    .slice(0, 12);
}
