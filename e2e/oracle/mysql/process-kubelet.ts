import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdirSync, openSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Client, Stored } from "@tsbuilder/runtime";
import { Pod, Secret } from "@tsbuilder/runtime/k8s/core/v1";

/** Where servers come from, and who they run as. */
export interface ProcessKubeletOptions {
  /** Its folders are the servers' volumes. */
  readonly folder: string;
  /** A program that runs mysqld, with the options of the pod. */
  readonly mysqld: string;
  /** An initialized data directory, which is copied for empty volumes. */
  readonly emptyData: string;
  readonly uid: number;
  readonly gid: number;
}

/** A pod as a process. */
interface Run {
  readonly name: string;
  readonly address: string;
  readonly options: readonly string[];
  child: ChildProcess;
}

/**
 * Runs the pods of the operator's StatefulSets as processes, each at an address of loopback of its own. Processes that end are
 * started again, those of deleted pods are ended, and their volumes stay.
 */
export class ProcessKubelet {
  /** Names of pods that are not started. */
  readonly held = new Set<string>();
  readonly #client: Client;
  readonly #options: ProcessKubeletOptions;
  readonly #runs = new Map<string, Run>();
  #serial = 10;
  #isStopped = false;

  constructor(client: Client, options: ProcessKubeletOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** Looks at the pods until it is stopped. */
  async start(): Promise<void> {
    while (!this.#isStopped) {
      await this.#sync().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  stop(): void {
    this.#isStopped = true;
    for (const { child } of this.#runs.values()) child.kill("SIGKILL");
  }

  /** The addresses of all servers. */
  addresses(): string[] {
    return [...this.#runs.values()].map(({ address }) => address);
  }

  /** The address of a server; undefined while it has no pod. */
  addressOf(name: string): string | undefined {
    return this.#named(name)?.address;
  }

  signal(name: string, signal: NodeJS.Signals): void {
    this.#named(name)?.child.kill(signal);
  }

  volumeOf(name: string): string {
    return join(this.#options.folder, name, "data");
  }

  #named(name: string): Run | undefined {
    return [...this.#runs.values()].find((run) => run.name === name);
  }

  async #sync(): Promise<void> {
    const all = await this.#client.list(Pod, { live: true });
    const pods = all.filter(({ metadata }) => /-\d+$/.test(metadata.name));
    const isLeaving = (pod: Stored<Pod>) => pod.metadata.deletionTimestamp !== undefined;
    const wanted = new Set(pods.filter((pod) => !isLeaving(pod)).map(({ metadata }) => metadata.uid));
    for (const [uid, { child }] of this.#runs) {
      if (wanted.has(uid)) continue;
      if (hasEnded(child)) this.#runs.delete(uid);
      else child.kill("SIGTERM");
    }
    for (const pod of pods) {
      const run = this.#runs.get(pod.metadata.uid);
      if (isLeaving(pod)) {
        if (!run) await this.#client.delete(Pod, pod, { gracePeriodSeconds: 0 });
      } else if (!run) await this.#begin(pod);
      else if (hasEnded(run.child)) run.child = this.#spawn(run.name, run.options);
    }
  }

  async #begin(pod: Stored<Pod>): Promise<void> {
    const { name, namespace, uid } = pod.metadata;
    if (this.held.has(name) || this.#named(name)) return;
    const folder = join(this.#options.folder, name);
    mkdirSync(folder, { recursive: true });
    if (!existsSync(this.volumeOf(name)))
      execFileSync("cp", ["-a", this.#options.emptyData, this.volumeOf(name)]);
    rmSync(join(this.volumeOf(name), "auto.cnf"), { force: true });
    const volume = pod.spec?.volumes?.find((one) => one.name === "operator");
    const key = { namespace, name: volume?.secret?.secretName ?? "" };
    const { data = {} } = await this.#client.get(Secret, key, { live: true });
    writeFileSync(join(folder, "init.sql"), Buffer.from(data["init.sql"] ?? "", "base64"));
    chownSync(folder, this.#options.uid, this.#options.gid);
    this.#serial += 1;
    const address = `127.0.${2 + Math.floor(this.#serial / 200)}.${(this.#serial % 200) + 1}`;
    const options = [...optionsOf(pod, folder), `--bind-address=${address}`, "--innodb-buffer-pool-size=16M"];
    const child = this.#spawn(name, options);
    this.#runs.set(uid, { name, address, options, child });
    await this.#client.patchStatus(
      Pod,
      pod,
      {
        phase: "Running",
        podIP: address,
        podIPs: [{ ip: address }],
        conditions: [{ type: "Ready", status: "True" }],
      },
      { optimisticLock: false },
    );
  }

  #spawn(name: string, options: readonly string[]): ChildProcess {
    const { folder, mysqld, uid, gid } = this.#options;
    const log = openSync(join(folder, `${name}.log`), "a");
    return spawn(mysqld, options, { uid, gid, cwd: folder, stdio: ["ignore", log, log] });
  }
}

/** The options in the pod's command, with the folder in place of the container's. */
function optionsOf({ metadata, spec }: Stored<Pod>, folder: string): string[] {
  const [, ...options] = spec?.containers[0]?.command ?? [];
  const [ordinal = ""] = /\d+$/.exec(metadata.name) ?? [];
  const places = ["/var/lib/mysql", "/etc/mysql-operator", "/run/mysqld"];
  return options
    .filter((option) => option !== "--no-defaults")
    .map((option) => places.reduce((text, place) => text.replace(place, folder), option))
    .map((option) => option.replace("$(ORDINAL)", ordinal));
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
