import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { eventually } from "../../support/eventually.ts";
import type { DatabaseServer } from "./database-servers.ts";

/**
 * A script of the template that can be killed before each of its commands, with all that it has started: as it is when a
 * container is killed. Bash tells what it is about to do, so the scripts are as they are.
 */
export class KillableScript {
  readonly #folder: string;
  readonly #server: DatabaseServer;
  readonly #name: string;
  readonly #more: Record<string, string>;

  /** The folder is one that everybody may write to. */
  constructor(folder: string, server: DatabaseServer, name: string, more: Record<string, string> = {}) {
    this.#folder = folder;
    this.#server = server;
    this.#name = name;
    this.#more = more;
  }

  /** The commands of one run, in the order in which they are reached; a script that has no end runs until it is enough. */
  async commands(isEnough?: () => boolean): Promise<string[]> {
    const reached = join(this.#folder, "reached");
    rmSync(reached, { force: true });
    await this.#run({ REACHED: reached }, isEnough);
    const lines = readFileSync(reached, "utf8").split("\n").filter(Boolean);
    return [...new Set(lines)];
  }

  /** Kills a run when it reaches a command for the first time. */
  killAt(command: string, isEnough?: () => boolean): Promise<void> {
    return this.#run({ KILL_AT: command }, isEnough);
  }

  async #run(more: Record<string, string>, isEnough?: () => boolean): Promise<void> {
    const observer = join(this.#folder, "observer.sh");
    writeFileSync(observer, observe);
    const child = this.#server.run(this.#name, { ...this.#more, ...more, BASH_ENV: observer });
    const ended = once(child, "exit");
    try {
      if (isEnough) await eventually(() => hasEnded(child) || isEnough());
      else await ended;
    } finally {
      killGroup(child.pid!);
    }
    await ended;
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // All of it has ended.
  }
}

/** Programs of a test that are scripts, too, are no part of it. Commands in different places may look the same. */
const observe = `
case "$0" in "$CONFIG"/*) ;; *) return ;; esac
reach_command() {
  local command="$1: \${2%%$'\\n'*}"
  if [ -n "\${REACHED:-}" ]; then echo "$command" >> "$REACHED"; fi
  if [ "$command" = "\${KILL_AT:-}" ]; then kill -9 0; fi
}
set -T
trap 'reach_command "\${BASH_SOURCE[0]##*/}:$LINENO" "$BASH_COMMAND"' DEBUG
`;

/** All commands where many cases are wanted, else some of them, which the seed chooses. */
export function chosen(commands: readonly string[], few: number): string[] {
  if (fc.readConfigureGlobal().numRuns! >= 1000) return [...commands];
  const size = Math.min(few, commands.length);
  const subset = fc.shuffledSubarray([...commands], { minLength: size, maxLength: size });
  return fc.sample(subset, 1)[0]!;
}
