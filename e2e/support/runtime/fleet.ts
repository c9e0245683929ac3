import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type KubernetesObject, loadConfig } from "@tsbuilder/runtime";
import { parse } from "yaml";
import { rangeOf } from "../../../src/runtime/shards/ranges.ts";
import { type FaultProxy, startFaultProxy } from "../../../src/runtime/testing/fault-proxy.ts";
import type { ClusterUnderTest } from "./cluster-under-test.ts";
import { ShardObserver } from "./shard-observer.ts";

const program = new URL("sharded-operator-program.ts", import.meta.url).pathname;

/** How the processes of a fleet work. */
export interface FleetOptions {
  readonly namespace: string;
  readonly mode: "shards" | "leader-elect";
  /** `leaseDuration,renewDeadline,retryPeriod`. */
  readonly leases?: string;
  /** Milliseconds of the processor that a reconcile takes. */
  readonly work?: number;
  /** Another program that takes the same flags. */
  readonly program?: string;
}

/** One process of an operator, with an observer between it and the server. */
export interface FleetProcess {
  readonly name: string;
  readonly child: ChildProcess;
  readonly output: () => string;
}

/** Processes of one operator, which are started and killed. */
export class Fleet {
  readonly observer: ShardObserver;
  readonly #kubeconfig: ClusterUnderTest["kubeconfig"];
  readonly #options: FleetOptions;
  readonly #folder = mkdtempSync(join(tmpdir(), "tsbuilder-fleet-"));
  readonly #uids = new Map<string, string>();
  readonly #proxies: FaultProxy[] = [];
  readonly running = new Set<FleetProcess>();
  /** The processes that wrote something, the last one last. */
  readonly writers = new Set<string>();
  #serial = 0;

  constructor(kubeconfig: ClusterUnderTest["kubeconfig"], options: FleetOptions) {
    this.#kubeconfig = kubeconfig;
    this.#options = options;
    this.observer = new ShardObserver((path) => {
      const uid = this.#uids.get(nameIn(path) ?? "");
      return uid === undefined ? undefined : rangeOf(uid);
    });
  }

  /** Tells the observer of an object. */
  knows({ metadata }: KubernetesObject): void {
    this.#uids.set(metadata.name ?? "", metadata.uid ?? "");
  }

  async start(): Promise<FleetProcess> {
    const name = `p${this.#serial++}`;
    const config = await loadConfig({ kubeconfig: this.#kubeconfig, env: {} });
    const proxy = await startFaultProxy(config);
    this.#proxies.push(proxy);
    proxy.onRequest = (request) => {
      this.observer.sent(name, request);
      if (request.method !== "GET" && nameIn(request.path) !== undefined) {
        this.writers.delete(name);
        this.writers.add(name);
      }
      return undefined;
    };
    proxy.onAnswer = (request) => this.observer.answered(name, request);
    const kubeconfig = join(this.#folder, name);
    writeFileSync(kubeconfig, JSON.stringify(this.#through(proxy.config.server)));
    const { namespace, mode, leases = "", work = 0, program: other } = this.#options;
    const child = spawn(
      other ?? process.execPath,
      [
        ...(other === undefined ? ["--conditions=@tsbuilder/source", "--import", "tsx", program] : []),
        `--${mode}`,
        `--kubeconfig=${kubeconfig}`,
        `--watch-namespaces=${namespace}`,
        `--leader-election-namespace=${namespace}`,
        "--health-probe-bind-address=0",
      ],
      {
        env: { ...process.env, NOTE: name, LEASES: leases, WORK: String(work) },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += String(text)));
    const started = { name, child, output: () => output };
    this.running.add(started);
    child.once("exit", () => this.running.delete(started));
    return started;
  }

  /** Ends a process. Default: `kill -9`. */
  async end({ child }: FleetProcess, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
  }

  async close(): Promise<void> {
    await Promise.all([...this.running].map((process) => this.end(process)));
    await Promise.all(this.#proxies.map((proxy) => proxy.close()));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** The kubeconfig with another server. */
  #through(server: string): unknown {
    const source = this.#kubeconfig;
    const file = (
      typeof source === "string" ? parse(readFileSync(source, "utf8")) : structuredClone(source)
    ) as {
      clusters: { cluster: object }[];
    };
    for (const entry of file.clusters) entry.cluster = { server };
    return file;
  }
}

/** The Widget that a path names. */
function nameIn(path: string): string | undefined {
  return /\/widgets\/([^/?]+)/.exec(path)?.[1];
}
