import { type ChildProcess, spawn } from "node:child_process";
import { openSync } from "node:fs";
import { join } from "node:path";
import { bundleProgram } from "../../support/bundle-program.ts";

/** The processes of the operator. They take no lease: two at once are as when one has lost it and doesn't know. */
export class Operators {
  readonly #folder: string;
  readonly #kubeconfig: string;
  readonly #running: ChildProcess[] = [];

  private constructor(folder: string, kubeconfig: string) {
    this.#folder = folder;
    this.#kubeconfig = kubeconfig;
  }

  /** Bundles the golden project as its image does. */
  static async create(folder: string, kubeconfig: string): Promise<Operators> {
    const file = new URL("../../golden/maria-operator/src/main.ts", import.meta.url).pathname;
    await bundleProgram({ file }, join(folder, "operator.mjs"));
    return new Operators(folder, kubeconfig);
  }

  start(): void {
    const log = openSync(join(this.#folder, "operator.log"), "a");
    const flags = ["--kubeconfig", this.#kubeconfig, "--health-probe-bind-address=0"];
    const words = [join(this.#folder, "operator.mjs"), ...flags, "--metrics-bind-address=0"];
    this.#running.push(spawn(process.execPath, words, { stdio: ["ignore", log, log] }));
  }

  /** Kills the oldest. */
  kill(): void {
    this.#running.shift()?.kill("SIGKILL");
  }

  /** Has the oldest stand still; returns what lets it go on, where it was. */
  pause(): () => void {
    const [oldest] = this.#running;
    oldest?.kill("SIGSTOP");
    return () => void oldest?.kill("SIGCONT");
  }

  /** Leaves one. */
  settle(): void {
    while (this.#running.length > 1) this.kill();
    if (this.#running.length === 0) this.start();
  }
}
