import { type ChildProcess, spawnSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { repository } from "../../support/source-imports.ts";

// The demos print each step, and wait for its result.

export const cli = join(repository, "bin/tsbuilder.js");

export function title(text: string): void {
  console.log(`\n== ${text}`);
}

/** Returns a function that runs tsbuilder in a folder, and throws if it fails. */
export function tsbuilderIn(folder: string, env: NodeJS.ProcessEnv = process.env) {
  return (...args: string[]): void => {
    const stdio = ["ignore", "inherit", "inherit"] as const;
    const { status } = spawnSync(process.execPath, [cli, ...args], { cwd: folder, env, stdio: [...stdio] });
    if (status !== 0) throw new Error(`tsbuilder ${args.join(" ")} exited with code ${status}`);
  };
}

/** Waits until a state is there, which is printed then. */
export async function until(what: string, holds: () => Promise<boolean>, seconds = 60): Promise<void> {
  const deadline = Date.now() + seconds * 1000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`timed out after ${seconds} s: ${what}`);
    await delay(50);
  }
  console.log(`-- ${what}`);
}

/** Ends a process that cleans up before it exits. */
export function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.kill("SIGTERM");
  });
}

/** How long something took since then. */
export function secondsSince(start: number): string {
  return ((performance.now() - start) / 1000).toFixed(1);
}
