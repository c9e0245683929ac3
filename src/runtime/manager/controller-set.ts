import { type Kind, isCustomGroup } from "@tsbuilder/apimachinery/meta";
import type { ObjectCache } from "../cache/cache.ts";
import type { Client } from "../client/client.ts";
import { TerminalError } from "../errors/api-error.ts";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { TimeSlices } from "../clock/time-slices.ts";
import { ControllerEngine } from "../controller/controller.ts";
import type { BuiltController, ControllerHost } from "../controller/controller-builder.ts";
import type {
  ControllerDefaults,
  ExtensibleController,
  MeasurableController,
} from "../controller/controller-spec.ts";
import type { EventRecorder } from "../events/event-recorder.ts";
import type { Logger } from "../log/logger.ts";
import type { ShardGate } from "../shards/shard-gate.ts";
import type { DefaultExports } from "../metrics/condition-metrics.ts";
import type { Measurements } from "../metrics/measurements.ts";
import type { WarmRunnable } from "./lifecycle.ts";

/** The parts that all controllers of a manager share. */
export interface ControllerSetParts {
  readonly log: Logger;
  readonly clock: Clock;
  readonly slices: TimeSlices;
  readonly events: EventRecorder;
  readonly lifecycle: { add(runnable: WarmRunnable): void };
  readonly measurements: Measurements;
  readonly conditions: DefaultExports;
}

/** The cluster that the controllers work on. */
interface ControllerSetScope extends Omit<ControllerHost, "addController" | "clock"> {
  /** The name of the cluster, if it is not the manager's own. */
  readonly cluster?: string | undefined;
}

/** The controllers of a cluster, each with a unique name. */
export class ControllerSet implements ControllerHost {
  readonly client: Client;
  readonly cache: ObjectCache;
  readonly clock: Clock;
  readonly shards: ShardGate | undefined;
  readonly controllerDefaults: ControllerDefaults;
  readonly #parts: ControllerSetParts;
  readonly #cluster: string | undefined;
  readonly #engines = new Map<string, MeasurableController>();
  #isForgotten = false;

  constructor(
    { client, cache, shards, controllerDefaults, cluster }: ControllerSetScope,
    parts: ControllerSetParts,
  ) {
    this.#cluster = cluster;
    this.client = client;
    this.cache = cache;
    this.clock = parts.clock;
    this.shards = shards;
    this.controllerDefaults = controllerDefaults;
    this.#parts = parts;
  }

  addController<R>({
    logFields,
    needLeaderElection,
    warmup,
    ...spec
  }: BuiltController<R>): ExtensibleController<R> {
    const name = this.#cluster === undefined ? spec.name : `${this.#cluster}/${spec.name}`;
    const { log, clock, slices, events, lifecycle, measurements } = this.#parts;
    if (this.#isForgotten)
      throw new TerminalError(`controller "${name}" can't be added: its cluster was removed`);
    if (this.#engines.has(name))
      throw new TerminalError(
        `there are two controllers named "${name}": give one another name with named()`,
      );
    const engine = new ControllerEngine<R>({
      ...spec,
      name,
      // A cluster besides the manager's own may be unreachable: its controllers wait without a limit.
      ...(this.#cluster !== undefined && { cacheSyncTimeout: undefined }),
      // The scope of a reconcile has the controller's fields, too, for lines of other loggers.
      describe: (request) => ({ ...logFields, ...spec.describe(request) }),
      log: log.with(logFields),
      events,
      clock,
      slices,
      onCallbackError: (callback) => measurements.callbackFailed(callback),
    });
    lifecycle.add({
      name: `controller ${name}`,
      needLeaderElection,
      start: ({ signal, deadline }) => engine.run(signal, deadline),
      ready: (signal: AbortSignal) => engine.ready(signal),
      ...(warmup && { warmUp: (signal: AbortSignal) => engine.warmUp(signal) }),
    });
    this.#engines.set(name, engine);
    measurements.add(engine);
    return engine;
  }

  reconciles(kind: Kind): void {
    if (isCustomGroup(kind.group)) this.#parts.conditions.addDefault(kind);
  }

  /** Removes the controllers from the metrics and refuses new ones: their cluster was removed. */
  forget(): void {
    this.#isForgotten = true;
    for (const engine of this.#engines.values()) this.#parts.measurements.remove(engine);
  }
}
