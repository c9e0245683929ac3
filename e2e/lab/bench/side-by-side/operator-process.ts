import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Command } from "./build-operators.ts";

/** An operator's reports, one JSON object a line. */
export interface Said {
  readonly first?: true;
  readonly started?: true;
  readonly collected?: true;
  readonly round?: number;
  /** The duration of the round, and the CPU time. */
  readonly seconds?: number;
  readonly cpu?: number;
}

/** An operator under measurement, in a separate process. */
export class OperatorProcess {
  readonly #child: ChildProcess;
  readonly #waiting: { readonly name: keyof Said; readonly resolve: (said: Said) => void }[] = [];
  readonly #fail: Promise<never>;

  constructor([file, ...args]: Command, kubeconfig: string, env: { readonly [name: string]: string }) {
    this.#child = spawn(file, args, {
      env: { ...process.env, ...env, KUBECONFIG: kubeconfig },
      stdio: ["pipe", "pipe", process.env["LOGS"] ? "inherit" : "ignore"],
    });
    // An interrupted run must not leave it running.
    const kill = (): void => void this.#child.kill("SIGKILL");
    process.once("exit", kill);
    this.#child.once("exit", () => process.off("exit", kill));
    this.#fail = once(this.#child, "exit").then(([code]) => {
      throw new Error(`${file} ended with ${code}; LOGS=1 shows why`);
    });
    this.#fail.catch(() => {});
    createInterface(this.#child.stdout!).on("line", (line) => {
      const said = JSON.parse(line) as Said;
      const at = this.#waiting.findIndex(({ name }) => said[name] !== undefined);
      if (at >= 0) this.#waiting.splice(at, 1)[0]!.resolve(said);
    });
  }

  /** Resolves with the next line that has a field. */
  hears(name: keyof Said): Promise<Said> {
    return Promise.race([
      new Promise<Said>((resolve) => void this.#waiting.push({ name, resolve })),
      this.#fail,
    ]);
  }

  asks(command: string, name: keyof Said): Promise<Said> {
    const answer = this.hears(name);
    this.#child.stdin!.write(`${command}\n`);
    return answer;
  }

  /** Resident memory in MB, now or at its peak. */
  memory(field: "VmRSS" | "VmHWM" = "VmRSS"): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, "utf8");
    return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    this.#child.kill("SIGTERM");
    await once(this.#child, "exit");
  }
}
