import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client, Stored } from "@tsbuilder/runtime";
import { Node, Pod, Secret } from "@tsbuilder/runtime/k8s/core/v1";
import type { Servers } from "./install-servers.ts";
import type { Network } from "./network.ts";

/** A pod as a process. */
interface Run {
  readonly name: string;
  readonly ordinal: number;
  readonly address: string;
  readonly options: readonly string[];
  child: ChildProcess;
  /** When a process that ended is started again. */
  nextStart: number;
  /** When a process that was told to end is killed. */
  killAt?: number;
}

/** How long a container's end and a pod's deletion take at most, and how old what is mounted may be, in milliseconds. */
const limits = { backOff: 5000, grace: 10_000, mount: 90_000, heartbeat: 10_000 };

const node = "here";

const volumeSize = "700m";

/**
 * Runs the pods of the operator's StatefulSets as processes in the servers' network namespaces. Processes that end are started again,
 * those of deleted pods are ended. Volumes stay: file systems in memory, which can be filled.
 */
export class ProcessKubelet {
  /** Names of pods that are not started. */
  readonly #held = new Set<string>();
  readonly #client: Client;
  readonly #servers: Servers;
  readonly #network: Network;
  readonly #folder: string;
  readonly #runs = new Map<string, Run>();
  /** The mounted files; a kubelet refreshes them late. */
  readonly #mounted = new Map<string, { secret: Stored<Secret>; until: number }>();
  #sleepsUntil = 0;

  constructor(client: Client, servers: Servers, network: Network, folder: string) {
    this.#client = client;
    this.#servers = servers;
    this.#network = network;
    this.#folder = folder;
  }

  /** Looks at the pods for ever. */
  async start(): Promise<void> {
    await this.#client.create(Node, { metadata: { name: node } });
    for (let last = 0; ;) {
      if (Date.now() - last > limits.heartbeat) {
        last = Date.now();
        await this.#sayReady().catch(() => undefined);
      }
      if (Date.now() > this.#sleepsUntil) await this.#sync().catch(() => undefined);
      await sleep(200);
    }
  }

  /** Otherwise kube-controller-manager deletes the pods. */
  async #sayReady(): Promise<void> {
    const now = new Date().toISOString();
    const ready = { type: "Ready", status: "True" as const, reason: "KubeletReady", lastHeartbeatTime: now };
    const status = { conditions: [{ ...ready, lastTransitionTime: now }] };
    await this.#client.subresource(Node, { name: node }, "status").patch({ merge: { status } });
  }

  /** Notices nothing for a while. */
  sleep(milliseconds: number): void {
    this.#sleepsUntil = Date.now() + milliseconds;
  }

  wake(): void {
    this.#sleepsUntil = 0;
  }

  /** The addresses of all servers, by the names of their pods. */
  addresses(): Map<string, string> {
    return new Map([...this.#runs.values()].map(({ name, address }) => [name, address]));
  }

  signal(name: string, signal: NodeJS.Signals): void {
    this.#named(name)?.child.kill(signal);
  }

  /** Sets the clock of a server apart by some seconds. */
  setClock(name: string, seconds: number): void {
    const value = Buffer.alloc(8);
    value.writeBigInt64LE(BigInt(seconds));
    const clock = openSync(join(this.#home(name), "clock"), constants.O_RDWR | constants.O_CREAT);
    writeSync(clock, value);
    closeSync(clock);
  }

  /** Leaves no room on a volume until it is freed. */
  fill(name: string): void {
    const { blocks, bavail, bsize } = statfsSync(this.volumeOf(name));
    const used = Math.ceil(((blocks - bavail) * bsize) / 1024);
    // It may have grown meanwhile.
    for (let more = 0; !this.#resize(name, `${used + more}k`); more = more * 2 + 64);
  }

  free(name: string): void {
    this.#resize(name, volumeSize);
  }

  /** Copies a volume as it is at this moment, as a snapshot does. */
  save(name: string, folder: string): void {
    this.signal(name, "SIGSTOP");
    rmSync(folder, { recursive: true, force: true });
    if (existsSync(join(this.volumeOf(name), "data"))) {
      execFileSync("cp", ["--archive", join(this.volumeOf(name), "data"), folder]);
    }
    this.signal(name, "SIGCONT");
  }

  /** Deletes a pod, has the volume of the next one empty, or as a copy of a folder, and lets it start. */
  async replaceVolume(name: string, copy?: string): Promise<void> {
    if (this.#held.has(name)) return;
    this.#held.add(name);
    await this.deletePod(name);
    while (this.#named(name)) await sleep(100);
    const data = join(this.volumeOf(name), "data");
    rmSync(data, { recursive: true, force: true });
    // Another volume has room.
    this.free(name);
    if (copy !== undefined && existsSync(copy)) execFileSync("cp", ["--archive", copy, data]);
    this.#held.delete(name);
  }

  async deletePod(name: string): Promise<void> {
    const pod = await this.#client.find(Pod, { namespace: "default", name }, { live: true });
    if (pod) await this.#client.delete(Pod, pod).catch(() => undefined);
  }

  volumeOf(name: string): string {
    return join(this.#home(name), "volume");
  }

  #home(name: string): string {
    return join(this.#folder, name);
  }

  #named(name: string): Run | undefined {
    return [...this.#runs.values()].find((run) => run.name === name);
  }

  async #sync(): Promise<void> {
    const all = await this.#client.list(Pod, { live: true });
    const pods = all.filter(({ metadata }) => /-\d+$/.test(metadata.name));
    const isLeaving = (pod: Stored<Pod>) => pod.metadata.deletionTimestamp !== undefined;
    const wanted = new Set(pods.filter((pod) => !isLeaving(pod)).map(({ metadata }) => metadata.uid));
    for (const [uid, run] of this.#runs) if (!wanted.has(uid)) this.#end(uid, run);
    for (const pod of pods) {
      const run = this.#runs.get(pod.metadata.uid);
      if (isLeaving(pod)) {
        if (!run) await this.#client.delete(Pod, pod, { gracePeriodSeconds: 0 });
      } else if (!run) await this.#begin(pod).catch(() => undefined);
      else {
        await this.#mount(pod).catch(() => undefined);
        if (hasEnded(run.child)) this.#startAgain(run);
      }
    }
  }

  #end(uid: string, run: Run): void {
    run.killAt ??= Date.now() + limits.grace;
    if (hasEnded(run.child)) this.#runs.delete(uid);
    else run.child.kill(Date.now() > run.killAt ? "SIGKILL" : "SIGTERM");
  }

  #startAgain(run: Run): void {
    if (run.nextStart === 0) run.nextStart = Date.now() + Math.random() * limits.backOff;
    if (Date.now() < run.nextStart) return;
    run.nextStart = 0;
    run.child = this.#spawn(run);
  }

  async #begin(pod: Stored<Pod>): Promise<void> {
    const { name, uid } = pod.metadata;
    if (this.#held.has(name) || this.#named(name)) return;
    const ordinal = Number(/\d+$/.exec(name)?.[0]);
    const home = this.#home(name);
    const data = join(this.volumeOf(name), "data");
    if (!existsSync(home)) this.#makeVolume(name);
    if (!existsSync(data)) {
      execFileSync("cp", ["--archive", this.#servers.emptyData, `${data}.new`]);
      execFileSync("mv", [`${data}.new`, data]);
    }
    rmSync(join(data, "auto.cnf"), { force: true });
    await this.#mount(pod);
    // A pod without a node is deleted at once, while its process still runs.
    const target = { kind: "Node", name: node };
    if (!pod.spec?.nodeName) await this.#client.subresource(Pod, pod, "binding").create({ target });
    const address = this.#network.assign(ordinal);
    const run = { name, ordinal, address, options: optionsOf(pod, home), nextStart: 0 };
    this.#runs.set(uid, { ...run, child: this.#spawn(run) });
    const status = {
      phase: "Running" as const,
      podIP: address,
      podIPs: [{ ip: address }],
      conditions: [{ type: "Ready", status: "True" as const }],
    };
    await this.#client.patchStatus(Pod, pod, status, { optimisticLock: false });
  }

  /** Writes the files of the Secrets that a pod mounts, as they were some time ago. */
  async #mount({ metadata: { name, namespace }, spec }: Stored<Pod>): Promise<void> {
    for (const { name: volume, secret } of spec?.volumes ?? []) {
      if (!secret) continue;
      const { data = {} } = await this.#secret(namespace, secret.secretName ?? "");
      const folder = join(this.#home(name), volume);
      mkdirSync(folder, { recursive: true });
      for (const [file, value] of Object.entries(data)) {
        // A server must not read half of it.
        writeFileSync(join(folder, ".new"), Buffer.from(value, "base64"));
        renameSync(join(folder, ".new"), join(folder, file));
      }
    }
  }

  #makeVolume(name: string): void {
    mkdirSync(this.volumeOf(name), { recursive: true });
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${volumeSize}`, "tmpfs", this.volumeOf(name)]);
    this.setClock(name, 0);
  }

  #resize(name: string, size: string): boolean {
    return spawnSync("mount", ["-o", `remount,size=${size}`, this.volumeOf(name)]).status === 0;
  }

  async #secret(namespace: string, name: string): Promise<Stored<Secret>> {
    const known = this.#mounted.get(name);
    if (known && Date.now() < known.until) return known.secret;
    const secret = await this.#client.get(Secret, { namespace, name }, { live: true });
    this.#mounted.set(name, { secret, until: Date.now() + Math.random() * limits.mount });
    return secret;
  }

  #spawn({ name, ordinal, options }: Pick<Run, "name" | "ordinal" | "options">): ChildProcess {
    const home = this.#home(name);
    const { mysqld, ownClock } = this.#servers;
    const clock =
      ownClock === undefined ? [] : [`LD_PRELOAD=${ownClock}`, `OWN_CLOCK=${join(home, "clock")}`];
    const server = ["env", ...clock, ...mysqld, ...options];
    const [program = "", ...words] = [...this.#network.enter(ordinal), ...server];
    const log = openSync(join(home, "log"), "a");
    const child = spawn(program, words, { cwd: home, stdio: ["ignore", log, log] });
    closeSync(log);
    return child;
  }
}

/** The options in the pod's command, with folders of this machine in place of the container's. */
function optionsOf({ metadata, spec }: Stored<Pod>, home: string): string[] {
  const [, ...options] = spec?.containers[0]?.command ?? [];
  const [ordinal = ""] = /\d+$/.exec(metadata.name) ?? [];
  const places = Object.entries({
    "/var/lib/mysql": `${home}/volume`,
    "/etc/mysql-operator": `${home}/operator`,
    "/etc/mysql-tls": `${home}/tls`,
    "/run/mysqld": home,
    "$(ORDINAL)": ordinal,
  });
  const small = [
    "--user=root",
    "--innodb-buffer-pool-size=16M",
    "--innodb-redo-log-capacity=8M",
    "--innodb-read-io-threads=1",
    "--innodb-write-io-threads=1",
    "--table-open-cache=100",
    "--table-definition-cache=400",
  ];
  return [
    ...options
      .filter((option) => option !== "--no-defaults")
      .map((option) => places.reduce((text, [from, to]) => text.replace(from, to), option)),
    ...small,
  ];
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
