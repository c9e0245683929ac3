// What the status of objects says, as metrics: conditions with their age, generations that wait to be observed, and
// deletions that last. It is read from the cache when Prometheus scrapes: an event costs nothing, and nothing is watched.

import { isObject } from "@tsbuilder/apimachinery/json";
import {
  type DescribedCondition,
  describeConditions,
  type Kind,
  type KubernetesObject,
} from "@tsbuilder/apimachinery/meta";
import type { ObjectCache } from "../cache/cache.ts";
import { idOf } from "../client/metadata-only.ts";
import type { TimeSlices } from "../clock/time-slices.ts";
import { TerminalError } from "../errors/api-error.ts";

/** How many series the objects of a kind may have. */
export interface ConditionExportOptions {
  /**
   * The most series that describe single objects of this kind. Objects that aren't as they should be come first; those
   * that have no series are counted. 0 for the counts alone. Default: 2000.
   */
  readonly maxSeries?: number | undefined;
}

/** Enough for 400 objects with two conditions, at some 150 bytes each in a scrape. */
const defaultMaxSeries = 2000;

/** The types of conditions that are counted by name: a kind may have any. */
const maxTypes = 50;

const kindLabels = ["group", "version", "kind"] as const;

/** Prometheus itself adds a label `namespace`, that of the operator's pod. */
const objectLabels = [...kindLabels, "object_namespace", "object_name"] as const;

/** The metrics, each with its help text, which Prometheus shows. All are gauges. */
export const conditionMetrics = {
  tsbuilder_object_status_condition: {
    help: "1 for the present status of each condition of an object.",
    labelNames: [...objectLabels, "condition", "status"],
  },
  tsbuilder_object_status_condition_last_transition_time: {
    help: "When a condition of an object got its present status, in seconds since 1970.",
    labelNames: [...objectLabels, "condition", "status"],
  },
  tsbuilder_object_generation_lag: {
    help: "Generations of an object's spec that its status.observedGeneration doesn't tell of yet.",
    labelNames: objectLabels,
  },
  tsbuilder_object_deletion_timestamp: {
    help: "When the deletion of an object that still exists was requested, in seconds since 1970.",
    labelNames: objectLabels,
  },
  tsbuilder_objects_with_condition: {
    help: "Objects by the status of a condition, also those without series of their own.",
    labelNames: [...kindLabels, "condition", "status"],
  },
  tsbuilder_objects_without_series: {
    help: "Objects that have no series of their own, because their kind has too many.",
    labelNames: kindLabels,
  },
} as const;

type MetricName = keyof typeof conditionMetrics;
type Labels = Readonly<Record<string, string>>;

/** The exported kinds of a cluster, by their ids. */
type ExportedKinds = Map<string, { readonly kind: Kind; readonly maxSeries: number }>;

/** Exports a kind that a controller of a cluster reconciles, unless options for it were given. */
export interface DefaultExports {
  addDefault(kind: Kind): void;
}

/** The exported kinds of a manager. */
export class ConditionExports implements DefaultExports {
  readonly #slices: TimeSlices;
  /** Returns true while this process works on the objects: a standby would only repeat what the leader exports. */
  readonly #isWorking: () => boolean;
  readonly #kinds: ExportedKinds = new Map();
  /** The clusters by name: that of the manager has none, and those that were added to it have a label. */
  readonly #clusters = new Map<string, { readonly cache: ObjectCache; readonly kinds: ExportedKinds }>();

  constructor(cache: ObjectCache, slices: TimeSlices, isWorking: () => boolean) {
    this.#clusters.set("", { cache, kinds: this.#kinds });
    this.#slices = slices;
    this.#isWorking = isWorking;
  }

  /** Exports a kind, or changes its options. Throws a `TerminalError` if these are invalid. */
  add(kind: Kind, { maxSeries = defaultMaxSeries }: ConditionExportOptions = {}): void {
    if (!Number.isInteger(maxSeries) || maxSeries < 0)
      throw new TerminalError(`maxSeries of ${kind.kind} is ${maxSeries}: a whole number, 0 or more`);
    this.#kinds.set(idOf(kind), { kind, maxSeries });
  }

  addDefault(kind: Kind): void {
    if (!this.#kinds.has(idOf(kind))) this.add(kind);
  }

  /** Exports kinds of a cluster that was added to the manager, with the options that they have there. */
  ofCluster(name: string, cache: ObjectCache): DefaultExports {
    const kinds: ExportedKinds = new Map();
    this.#clusters.set(name, { cache, kinds });
    return {
      addDefault: (kind) => {
        const { maxSeries = defaultMaxSeries } = this.#kinds.get(idOf(kind)) ?? {};
        kinds.set(idOf(kind), { kind, maxSeries });
      },
    };
  }

  /** Ends the series of a cluster that was removed. */
  forget(name: string): void {
    this.#clusters.delete(name);
  }

  /** Returns all series as Prometheus reads them. Yields to other work between objects. */
  async text(): Promise<string> {
    const lines: SeriesByMetric = new Map();
    if (this.#isWorking())
      for (const [cluster, { cache, kinds }] of this.#clusters)
        for (const { kind, maxSeries } of kinds.values()) {
          const informer = cache.existing(kind);
          const ofKind = { group: kind.group, version: kind.version, kind: kind.kind };
          const labels = cluster === "" ? ofKind : { ...ofKind, cluster };
          if (informer?.hasSynced) await this.#measure(labels, informer.list(), maxSeries, lines);
        }
    const names = Object.keys(conditionMetrics) as MetricName[];
    return names
      .filter((name) => lines.has(name))
      .map(
        (name) =>
          `# HELP ${name} ${conditionMetrics[name].help}\n# TYPE ${name} gauge\n${lines.get(name)!.join("\n")}\n`,
      )
      .join("\n");
  }

  async #measure(
    ofKind: Labels,
    objects: readonly KubernetesObject[],
    maxSeries: number,
    lines: SeriesByMetric,
  ): Promise<void> {
    const counts = new ConditionCounts();
    const unwell: ObjectSeries[] = [];
    const well: ObjectSeries[] = [];
    let wellSeries = 0;
    for (const object of objects) {
      await this.#slices.pause();
      const measured = measureObject(object);
      counts.add(measured.conditions);
      if (measured.isUnwell) unwell.push(measured);
      else if ((wellSeries += measured.size) <= maxSeries) well.push(measured);
    }
    let series = 0;
    let omitted = objects.length;
    for (const measured of [...unwell, ...well]) {
      await this.#slices.pause();
      if (measured.size === 0) omitted--;
      if (measured.size === 0 || series + measured.size > maxSeries) continue;
      series += measured.size;
      omitted--;
      writeObject(lines, ofKind, measured);
    }
    for (const [condition, status, count] of counts)
      write(lines, "tsbuilder_objects_with_condition", { ...ofKind, condition, status }, count);
    write(lines, "tsbuilder_objects_without_series", ofKind, omitted);
  }
}

type SeriesByMetric = Map<MetricName, string[]>;

/** What the series of an object say. */
interface ObjectSeries {
  readonly object: KubernetesObject;
  readonly conditions: readonly DescribedCondition[];
  readonly lag: number | undefined;
  /** Seconds since 1970. */
  readonly deleted: number | undefined;
  /** The number of its series. */
  readonly size: number;
  readonly isUnwell: boolean;
}

function measureObject(object: KubernetesObject): ObjectSeries {
  const { deletionTimestamp, generation = 0 } = object.metadata;
  // A list without keys may repeat a type, but Prometheus accepts each series once.
  const conditions = describeConditions(object).filter(
    ({ type }, at, all) => all.findIndex((other) => other.type === type) === at,
  );
  const { status } = object as { readonly status?: unknown };
  const observed = isObject(status) ? status["observedGeneration"] : undefined;
  const lag = typeof observed === "number" ? Math.max(0, generation - observed) : undefined;
  const deleted = deletionTimestamp == null ? undefined : Date.parse(deletionTimestamp) / 1000;
  const times = conditions.filter(({ since }) => !Number.isNaN(since)).length;
  return {
    object,
    conditions,
    lag,
    deleted,
    size: conditions.length + times + Number(lag !== undefined) + Number(deleted !== undefined),
    isUnwell:
      deleted !== undefined ||
      (lag ?? 0) > 0 ||
      conditions.some(({ tone }) => tone === "bad" || tone === "busy"),
  };
}

function writeObject(lines: SeriesByMetric, ofKind: Labels, measured: ObjectSeries): void {
  const { object, conditions, lag, deleted } = measured;
  const { namespace = "", name = "" } = object.metadata;
  const labels = { ...ofKind, object_namespace: namespace, object_name: name };
  for (const { type, status, since } of conditions) {
    const ofCondition = { ...labels, condition: type, status: statusLabel(status) };
    write(lines, "tsbuilder_object_status_condition", ofCondition, 1);
    if (!Number.isNaN(since))
      write(lines, "tsbuilder_object_status_condition_last_transition_time", ofCondition, since / 1000);
  }
  if (lag !== undefined) write(lines, "tsbuilder_object_generation_lag", labels, lag);
  if (deleted !== undefined) write(lines, "tsbuilder_object_deletion_timestamp", labels, deleted);
}

/** Adds a line of Prometheus' text format. */
function write(lines: SeriesByMetric, name: MetricName, labels: Labels, value: number): void {
  const text = Object.entries(labels).map(([label, content]) => `${label}="${escapeLabel(content)}"`);
  let series = lines.get(name);
  if (!series) lines.set(name, (series = []));
  series.push(`${name}{${text.join(",")}} ${value}`);
}

function escapeLabel(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
}

/** Returns the status in lower case, as kube-state-metrics has it. */
function statusLabel(status: string): string {
  if (status === "True") return "true";
  return status === "False" ? "false" : "unknown";
}

/** Objects by the type and the status of their conditions. */
class ConditionCounts {
  readonly #counts = new Map<string, Map<string, number>>();

  add(conditions: readonly DescribedCondition[]): void {
    for (const { type, status } of conditions) {
      const isKnown = this.#counts.has(type) || this.#counts.size < maxTypes;
      const label = isKnown ? type : "exceeded_cardinality_limit";
      let byStatus = this.#counts.get(label);
      if (!byStatus) this.#counts.set(label, (byStatus = new Map()));
      byStatus.set(statusLabel(status), (byStatus.get(statusLabel(status)) ?? 0) + 1);
    }
  }

  *[Symbol.iterator](): Generator<[condition: string, status: string, count: number]> {
    for (const [type, byStatus] of this.#counts)
      for (const [status, count] of byStatus) yield [type, status, count];
  }
}
