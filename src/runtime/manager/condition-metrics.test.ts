import { expect, onTestFinished, test } from "vitest";
import { Namespace, useWidgetCluster, Widget } from "../../../e2e/support/runtime/widget-cluster.ts";
import { loadConfig } from "../config/load-config.ts";
import { createLogger } from "../log/logger.ts";
import type { ConditionExportOptions } from "../metrics/condition-metrics.ts";
import { eventually } from "../testing/eventually.ts";
import type { ManagerOptions } from "./manager-options.ts";
import { Manager } from "./manager.ts";

const cluster = useWidgetCluster();

interface TestCondition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
}

/** Creates a namespace, and Widgets in it with these conditions and observed generations. */
async function createWidgets(
  widgets: Readonly<Record<string, { conditions?: readonly TestCondition[]; observedGeneration?: number }>>,
): Promise<string> {
  const { client } = cluster;
  const { name: namespace } = cluster.key();
  await client.create(Namespace, { metadata: { name: namespace } });
  for (const [name, status] of Object.entries(widgets)) {
    const widget = await client.create(Widget, {
      metadata: { namespace, name, finalizers: ["example.com/kept"] },
      spec: { size: 1 },
    });
    await client.patchStatus(Widget, widget, status as object);
  }
  return namespace;
}

/** Starts an operator whose controller of Widgets does nothing. */
function startOperator(
  namespace: string,
  options?: ConditionExportOptions,
  more: Partial<ManagerOptions> = {},
): { readonly manager: Manager; readonly stop: () => Promise<void> } {
  const manager = new Manager({
    name: "operator",
    config: () => loadConfig({ kubeconfig: cluster.kubeconfig, env: {} }),
    logger: createLogger({ write() {} }),
    cache: { namespaces: [namespace] },
    metrics: { bindAddress: "127.0.0.1:0", secure: false },
    ...more,
  });
  if (options) manager.exportConditions(Widget, options);
  manager
    .controllerFor(Widget)
    .whileDeleting()
    .complete({ reconcile: async () => {} });
  const end = manager.start();
  const stop = async (): Promise<void> => {
    manager.stop();
    await end;
  };
  onTestFinished(stop);
  return { manager, stop };
}

/** Returns the series of objects that an operator serves once it has started. */
async function scrape(namespace: string, options?: ConditionExportOptions): Promise<readonly string[]> {
  const { manager } = startOperator(namespace, options);
  await manager.started;
  return seriesOf(manager);
}

async function seriesOf({ addresses }: Manager): Promise<readonly string[]> {
  const response = await fetch(`http://${addresses.metrics}/metrics`);
  expect(response.status).toBe(200);
  const lines = (await response.text()).split("\n");
  return lines.filter((line) => line.startsWith("tsbuilder_object")).toSorted();
}

const widget = 'group="example.com",version="v1",kind="Widget"';

test("conditions, their age, the lag of the generation and a deletion are metrics of each object", async () => {
  const since = "2026-01-02T03:04:05Z";
  const namespace = await createWidgets({
    a: { conditions: [{ type: "Ready", status: "False", lastTransitionTime: since }], observedGeneration: 0 },
    b: {
      conditions: [
        { type: "Ready", status: "True" },
        { type: 'Odd\\"\n', status: "Strange" },
      ],
    },
  });
  await cluster.client.delete(Widget, { namespace, name: "b" });
  const { metadata } = await cluster.client.get(Widget, { namespace, name: "b" });
  const of = (name: string): string => `${widget},object_namespace="${namespace}",object_name="${name}"`;
  const odd = 'condition="Odd\\\\\\"\\n",status="unknown"';
  expect(await scrape(namespace)).toEqual(
    [
      `tsbuilder_object_status_condition{${of("a")},condition="Ready",status="false"} 1`,
      `tsbuilder_object_status_condition{${of("b")},condition="Ready",status="true"} 1`,
      `tsbuilder_object_status_condition{${of("b")},${odd}} 1`,
      `tsbuilder_object_status_condition_last_transition_time{${of("a")},condition="Ready",status="false"} ${Date.parse(since) / 1000}`,
      `tsbuilder_object_generation_lag{${of("a")}} 1`,
      `tsbuilder_object_deletion_timestamp{${of("b")}} ${Date.parse(metadata.deletionTimestamp!) / 1000}`,
      `tsbuilder_objects_with_condition{${widget},condition="Ready",status="false"} 1`,
      `tsbuilder_objects_with_condition{${widget},condition="Ready",status="true"} 1`,
      `tsbuilder_objects_with_condition{${widget},${odd}} 1`,
      `tsbuilder_objects_without_series{${widget}} 0`,
    ].toSorted(),
  );
});

test("beyond the limit, objects that aren't well come first, and all are counted", async () => {
  const well = { conditions: [{ type: "Ready", status: "True" }] };
  const namespace = await createWidgets({
    a: well,
    b: well,
    c: { conditions: [{ type: "Degraded", status: "True" }] },
    d: well,
    e: { conditions: [{ type: "Ready", status: "False" }] },
  });
  const series = await scrape(namespace, { maxSeries: 3 });
  const named = series.flatMap((line) => /object_name="(\w)"/u.exec(line)?.[1] ?? []);
  expect(named).toHaveLength(3);
  expect(named).toEqual(expect.arrayContaining(["c", "e"]));
  expect(series).toContain(`tsbuilder_objects_without_series{${widget}} 2`);
  expect(series).toContain(`tsbuilder_objects_with_condition{${widget},condition="Ready",status="true"} 3`);
  const counts = await scrape(namespace, { maxSeries: 0 });
  expect(counts.filter((line) => line.includes("object_name"))).toEqual([]);
  expect(counts).toContain(`tsbuilder_objects_without_series{${widget}} 5`);
});

test("types of conditions are counted by name up to a number", async () => {
  const conditions = Array.from({ length: 60 }, (_, i) => ({ type: `Type${i}`, status: "True" }));
  const namespace = await createWidgets({ a: { conditions } });
  const counts = (await scrape(namespace, { maxSeries: 0 })).filter((line) => line.includes("condition="));
  expect(counts).toHaveLength(51);
  expect(counts).toContain(
    `tsbuilder_objects_with_condition{${widget},condition="exceeded_cardinality_limit",status="true"} 10`,
  );
});

test("a type that a list repeats has one series: Prometheus refuses a second", async () => {
  const conditions = [
    { type: "Ready", status: "True" },
    { type: "Ready", status: "False" },
  ];
  const series = await scrape(await createWidgets({ a: { conditions } }));
  expect(series.filter((line) => line.startsWith("tsbuilder_object_status_condition{"))).toHaveLength(1);
});

test("a standby exports no objects until it leads", async () => {
  const namespace = await createWidgets({ a: { conditions: [{ type: "Ready", status: "True" }] } });
  const election = { leaderElection: { id: "conditions", namespace, retryPeriod: "100ms" } } as const;
  const leader = startOperator(namespace, {}, election);
  await leader.manager.started;
  const standby = startOperator(namespace, {}, election);
  await standby.manager.cache.informer(Widget).synced();
  await eventually(() => expect(standby.manager.addresses.metrics).toBeDefined());
  expect(await seriesOf(standby.manager)).toEqual([]);
  expect(await seriesOf(leader.manager)).not.toEqual([]);
  await leader.stop();
  await standby.manager.started;
  expect(await seriesOf(standby.manager)).not.toEqual([]);
});

test("a negative limit is refused", () => {
  const manager = new Manager({ name: "operator", config: { server: "https://localhost" } });
  expect(() => manager.exportConditions(Widget, { maxSeries: -1 })).toThrow("maxSeries of Widget is -1");
});

test("objects of a cluster that was added have its name, until it is removed", async () => {
  const namespace = await createWidgets({ a: { conditions: [{ type: "Ready", status: "True" }] } });
  const { manager } = startOperator(namespace);
  const east = manager.addCluster("east", () => loadConfig({ kubeconfig: cluster.kubeconfig, env: {} }));
  east.controllerFor(Widget).complete({ reconcile: async () => {} });
  await manager.started;
  const clustersOf = async (): Promise<unknown[]> =>
    (await seriesOf(manager))
      .filter((line) => line.startsWith("tsbuilder_object_status_condition{"))
      .map((line) => /cluster="(?<name>[^"]*)"/u.exec(line)?.groups?.["name"]);
  await eventually(async () => expect(await clustersOf()).toEqual(["east", undefined]));
  await east.remove();
  expect(await clustersOf()).toEqual([undefined]);
});
