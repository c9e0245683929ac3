import { defineKind, type KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { type Clock, settled } from "@tsbuilder/apimachinery/time";
import type { Controller } from "../../../src/runtime/controller/controller-spec.ts";
import type { ClusterConfig } from "../../../src/runtime/http/config.ts";
import { waitWithClock } from "../../../src/runtime/clock/waits.ts";
import { createLogger } from "../../../src/runtime/log/logger.ts";
import { Manager } from "../../../src/runtime/manager/manager.ts";
import {
  type FaultProxy,
  type ProxiedRequest,
  startFaultProxy,
} from "../../../src/runtime/testing/fault-proxy.ts";
import { type Step, trafficOf } from "./fault-schedule.ts";
import { SuspendedClock } from "./suspended-clock.ts";
import { Widget } from "./widget-cluster.ts";

export interface ConfigMap extends KubernetesObject {
  data?: { [key: string]: string };
}
export const ConfigMap = defineKind<ConfigMap>(
  { group: "", version: "v1" },
  { kind: "ConfigMap", plural: "configmaps" },
);

/** The holder of the lease as the server knows it, and the writes of processes that were not the holder. */
export interface LeaseRecord {
  holder: string;
  readonly strangers: string[];
}

/** The last revisions of Widgets whose finalizers were removed, by name. */
export type Removals = Map<string, number>;

/** The state that a process shares with the others. */
interface ProcessOptions {
  readonly namespace: string;
  readonly clock: Clock;
  readonly lease: LeaseRecord;
  readonly removals: Removals;
}

/** How long after a write its watch events may come from a server in another process, in real milliseconds. */
const eventsWithin = 50;

/**
 * One of several processes of an operator, with a proxy between it and the server. It copies the size of Widgets to
 * their status and to ConfigMaps, and deletes these in a cleanup. When its manager has ended, it can be started again.
 */
export class BrokenProcess {
  readonly proxy: FaultProxy;
  /** How many milliseconds each reconcile takes besides its requests. */
  work = 0;
  /** Writes other than of leases and Events. */
  writes = 0;
  /** When something other than a lease came or went last, in real milliseconds. */
  #lastTraffic = 0;
  readonly #name: string;
  readonly #clock: SuspendedClock;
  readonly #options: Omit<ProcessOptions, "clock">;
  readonly #faults: { readonly step: Step & { readonly do: "break" }; left: number }[] = [];
  #starts = 0;
  #identity = "";
  #manager: Manager | undefined;
  #controller: Controller | undefined;

  static async create(name: string, config: ClusterConfig, options: ProcessOptions): Promise<BrokenProcess> {
    // Answers that the proxy delays don't arrive while the process is suspended either.
    const clock = new SuspendedClock(options.clock);
    return new BrokenProcess(name, await startFaultProxy(config, { clock }), { ...options, clock });
  }

  private constructor(
    name: string,
    proxy: FaultProxy,
    { clock, ...options }: ProcessOptions & { readonly clock: SuspendedClock },
  ) {
    this.#name = name;
    this.proxy = proxy;
    this.#options = options;
    this.#clock = clock;
    proxy.onRequest = (request) => {
      this.#watchTraffic(request);
      this.#watchWrite(request);
      const found = this.#faults.find(({ step, left }) => left > 0 && step.traffic === trafficOf(request));
      if (!found) return undefined;
      found.left--;
      return found.step.fault;
    };
    proxy.onAnswer = (request) => {
      this.#watchTraffic(request);
      this.#watchLease(request);
      this.#watchRemoval(request);
    };
  }

  /**
   * True if a server in another process has requests of this one, or may still send it watch events of what was written
   * last.
   */
  get isWaiting(): boolean {
    if (this.proxy.isHeld) return false;
    return this.proxy.unanswered > 0 || performance.now() - this.#lastTraffic < eventsWithin;
  }

  get isRunning(): boolean {
    return this.#manager !== undefined;
  }

  /** True if every worker is free and, if it leads, every request was processed. */
  get isIdle(): boolean {
    const { active, depth } = this.#controller!;
    const isLeading = this.#options.lease.holder === this.#identity;
    return active === 0 && (depth === 0 || !isLeading);
  }

  /** Starts the operator, unless it runs. */
  start(): void {
    if (this.#manager) return;
    const { namespace } = this.#options;
    this.#identity = `${this.#name}-${this.#starts++}`;
    const manager = new Manager({
      name: "operator",
      config: this.proxy.config,
      clock: this.#clock,
      logger: createLogger({ write() {} }),
      cache: { namespaces: [namespace] },
      gracefulShutdownTimeout: "2s",
      leaderElection: { id: "operator", namespace, identity: this.#identity },
    });
    this.#controller = copySizes(manager, namespace, async (signal) => {
      if (this.work > 0) await waitWithClock(this.#clock, this.work, signal);
    });
    this.#manager = manager;
    const end = (): void => void (this.#manager = undefined);
    // A manager that has lost its lease ends with an error.
    manager.start().then(end, end);
  }

  /** Its timers don't fire, and nothing comes or goes, until it is resumed. */
  suspend(): void {
    this.#clock.suspend();
    this.proxy.isHeld = true;
  }

  /** Bytes that arrived in the meantime are read before the timers fire that would stop it. */
  async resume(): Promise<void> {
    this.proxy.isHeld = false;
    await settled();
    this.#clock.resume();
  }

  stop(): void {
    this.#manager?.stop();
  }

  break(step: Step & { readonly do: "break" }): void {
    this.#faults.push({ step, left: step.times });
  }

  heal(): void {
    this.work = 0;
    this.#faults.length = 0;
    this.proxy.connections = "pass";
  }

  #watchTraffic(request: ProxiedRequest): void {
    if (trafficOf(request) !== "lease") this.#lastTraffic = performance.now();
  }

  #watchWrite(request: ProxiedRequest): void {
    const { lease } = this.#options;
    if (trafficOf(request) !== "write" || request.path.includes("/events")) return;
    this.writes++;
    if (lease.holder !== this.#identity)
      lease.strangers.push(`${this.#identity}, not ${lease.holder}: ${request.method} ${request.path}`);
  }

  #watchLease({ method, path, status = 0, text }: ProxiedRequest): void {
    if (!path.includes("/leases") || method === "GET" || status >= 300) return;
    const { spec } = bodyOf(text) as { spec: { holderIdentity: string } };
    this.#options.lease.holder = spec.holderIdentity;
  }

  /** A Widget that is being deleted is gone once its finalizer was removed. */
  #watchRemoval({ method, path, status = 0, text }: ProxiedRequest): void {
    const name = /\/widgets\/(\w+)\?/.exec(path)?.[1];
    if (name === undefined || method !== "PATCH" || status >= 300) return;
    const { finalizers, resourceVersion } = (bodyOf(text) as KubernetesObject).metadata;
    if (finalizers?.length === 0) this.#options.removals.set(name, Number(resourceVersion));
  }
}

function bodyOf(text: string): unknown {
  return JSON.parse(text.slice(text.indexOf("\r\n\r\n")));
}

function copySizes(
  manager: Manager,
  namespace: string,
  work: (signal: AbortSignal) => Promise<void>,
): Controller {
  const { client } = manager;
  return manager
    .controllerFor(Widget)
    .owns(ConfigMap)
    .withOptions({ maxConcurrentReconciles: 2, backoff: { max: "5s" } })
    .finalizer("example.com/copy", async ({ metadata: { name } }) => {
      await client.delete(ConfigMap, { namespace, name });
    })
    .complete({
      async reconcile(request, { signal }) {
        const widget = await client.find(Widget, request);
        if (!widget) return;
        await work(signal);
        const { size = 0 } = widget.spec;
        const { name } = request;
        await client.apply(
          ConfigMap,
          { metadata: { name }, data: { size: String(size) } },
          { owner: widget },
        );
        await client.patchStatus(Widget, widget, { ready: size });
      },
    });
}
