import { expect, onTestFinished, test } from "vitest";
import { Namespace, useWidgetCluster, Widget } from "../../../e2e/support/runtime/widget-cluster.ts";
import { loadConfig } from "../config/load-config.ts";
import { createLogger } from "../log/logger.ts";
import { shardSelectorOf } from "../shards/ranges.ts";
import { eventually } from "../testing/eventually.ts";
import { Manager } from "./manager.ts";

const cluster = useWidgetCluster();

test("metrics and readiness say who shares the objects, and whether the server selects them", async () => {
  const { client } = cluster;
  const namespace = "shard-metrics";
  await client.create(Namespace, { metadata: { name: namespace } });
  for (let index = 0; index < 30; index++)
    await client.create(Widget, { metadata: { namespace, name: `w${index}` }, spec: {} });
  const path = `/apis/example.com/v1/namespaces/${namespace}/widgets`;
  const half = await client.request({ path, query: { shardSelector: shardSelectorOf("uid", 0xffffffffn) } });
  const isSelecting = (JSON.parse(half.text) as { items: unknown[] }).items.length < 30;

  const start = (): Manager => {
    const manager = new Manager({
      name: "operator",
      config: () => loadConfig({ kubeconfig: cluster.kubeconfig, env: {} }),
      logger: createLogger({ write() {} }),
      cache: { namespaces: [namespace] },
      sharding: { id: "operator", namespace, leaseDuration: "3s", renewDeadline: "2s", retryPeriod: "500ms" },
      metrics: { bindAddress: "127.0.0.1:0", secure: false },
      healthProbeBindAddress: "127.0.0.1:0",
    });
    manager.controllerFor(Widget).complete({ reconcile: async () => {} });
    const end = manager.start();
    onTestFinished(async () => {
      manager.stop();
      await end;
    });
    return manager;
  };
  const managers = [start(), start()];
  const metricsOf = async ({ addresses }: Manager): Promise<string> =>
    (await fetch(`http://${addresses.metrics}/metrics`)).text();
  for (const manager of managers) {
    await eventually(async () => {
      const text = await metricsOf(manager);
      expect(text).toContain("\ntsbuilder_shard_members 2\n");
      expect(text).toContain("\ntsbuilder_shard_ranges_held 32\n");
    });
    const text = await metricsOf(manager);
    expect(
      Number(/\ntsbuilder_shard_moves_total\{direction="gained"\} (\d+)/.exec(text)![1]),
    ).toBeGreaterThanOrEqual(32);
    expect(Number(/\ntsbuilder_shard_wait_seconds_count (\d+)/.exec(text)![1])).toBeGreaterThanOrEqual(32);
    expect(text.includes("\ntsbuilder_shard_foreign_objects 0\n")).toBe(isSelecting);
    const ready = await fetch(`http://${manager.addresses.probes}/readyz/shards`);
    expect(ready.status).toBe(200);
  }
  const cached = managers.map(({ cache }) => cache.existing(Widget)!.stats.objects);
  expect(cached.reduce((sum, count) => sum + count)).toBe(30);
});
