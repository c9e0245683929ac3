import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineKind } from "@tsbuilder/apimachinery/meta";
import type { ClusterUnderTest } from "../../../e2e/support/runtime/cluster-under-test.ts";
import { startClusterUnderTest } from "../../../e2e/support/runtime/cluster-under-test.ts";
import { loadConfig } from "../config/load-config.ts";
import { createLogger } from "../log/logger.ts";
import { eventually } from "../testing/eventually.ts";
import { Manager } from "./manager.ts";
import type { ManagerOptions } from "./manager-options.ts";

const ConfigMap = defineKind({ group: "", version: "v1" }, { kind: "ConfigMap", plural: "configmaps" });
const nothing = { reconcile() {} };

let cluster: ClusterUnderTest;
beforeAll(async () => {
  cluster = await startClusterUnderTest();
});
afterAll(() => cluster.stop());

function makeManager(options: Partial<ManagerOptions>): Manager {
  return new Manager({
    name: "test",
    config: () => loadConfig({ kubeconfig: cluster.kubeconfig, env: {} }),
    logger: createLogger({ write() {} }),
    ...options,
  });
}

describe("a manager's endpoints", () => {
  const get = async (address: string | undefined, path: string) => {
    const response = await fetch(`http://${address}${path}`);
    return { status: response.status, text: await response.text() };
  };

  test("/healthz and /readyz run named checks: all, one by path, with exclusions, verbose or not", async () => {
    let isReady = false;
    const manager = makeManager({ healthProbeBindAddress: "127.0.0.1:0" });
    manager.controllerFor(ConfigMap).complete(nothing);
    manager.addReadyCheck("warm", () => {
      if (!isReady) throw new Error("a secret reason");
    });
    const end = manager.start();
    await manager.started;
    const { probes } = manager.addresses;
    expect(await get(probes, "/healthz")).toEqual({ status: 200, text: "ok" });
    const failing = await get(probes, "/readyz");
    expect(failing.status).toBe(500);
    expect(failing.text).toContain("[-]warm failed: reason withheld\n");
    expect(failing.text).toContain("[+]informer-sync ok\n");
    expect(failing.text).not.toContain("secret");
    expect(await get(probes, "/readyz?exclude=warm")).toEqual({ status: 200, text: "ok" });
    expect((await get(probes, "/readyz/warm")).status).toBe(500);
    expect((await get(probes, "/readyz/ping")).status).toBe(200);
    expect((await get(probes, "/readyz/unknown")).status).toBe(404);
    isReady = true;
    expect((await get(probes, "/readyz?verbose")).text).toContain("[+]warm ok\n");
    manager.stop();
    await end;
    await expect(fetch(`http://${probes}/healthz`)).rejects.toThrow();
  });

  test("/metrics has every name and label that dashboards for controller-runtime use", async () => {
    const manager = makeManager({ metrics: { bindAddress: "127.0.0.1:0" } });
    let runs = 0;
    manager
      .controllerFor(ConfigMap)
      .named("measured")
      .complete({ reconcile: () => void runs++ });
    const end = manager.start();
    await manager.started;
    await manager.client.create(ConfigMap, { metadata: { generateName: "m-", namespace: "default" } });
    // ConfigMaps of other tests are looked at, too.
    await eventually(() => runs > 0 && manager.isIdle);
    const { text } = await get(manager.addresses.metrics, "/metrics");
    for (const line of [
      /^controller_runtime_reconcile_total\{controller="measured",result="success"\} [1-9]/m,
      /^controller_runtime_reconcile_total\{controller="measured",result="error"\} 0$/m,
      /^controller_runtime_reconcile_total\{controller="measured",result="requeue"\} 0$/m,
      /^controller_runtime_reconcile_total\{controller="measured",result="requeue_after"\} 0$/m,
      /^controller_runtime_reconcile_errors_total\{controller="measured"\} 0$/m,
      /^controller_runtime_terminal_reconcile_errors_total\{controller="measured"\} 0$/m,
      /^controller_runtime_reconcile_panics_total\{controller="measured"\} 0$/m,
      /^controller_runtime_reconcile_timeouts_total\{controller="measured"\} 0$/m,
      /^controller_runtime_reconcile_time_seconds_bucket\{le="0.005",controller="measured"\} \d/m,
      /^controller_runtime_max_concurrent_reconciles\{controller="measured"\} 1$/m,
      /^controller_runtime_active_workers\{controller="measured"\} 0$/m,
      /^workqueue_depth\{name="measured",controller="measured",priority="0"\} 0$/m,
      /^workqueue_adds_total\{name="measured",controller="measured"\} [1-9]/m,
      /^workqueue_retries_total\{name="measured",controller="measured"\} 0$/m,
      /^workqueue_queue_duration_seconds_bucket\{le="1e-8",name="measured",controller="measured"\} \d/m,
      /^workqueue_work_duration_seconds_count\{name="measured",controller="measured"\} [1-9]/m,
      /^workqueue_unfinished_work_seconds\{name="measured",controller="measured"\} 0$/m,
      /^workqueue_longest_running_processor_seconds\{name="measured",controller="measured"\} 0$/m,
      /^rest_client_requests_total\{code="201",method="POST",host="[^"]+"\} 1$/m,
      /^# TYPE controller_runtime_webhook_latency_seconds histogram$/m,
      /^# TYPE controller_runtime_webhook_requests_total counter$/m,
      /^# TYPE controller_runtime_webhook_requests_in_flight gauge$/m,
      /^controller_runtime_webhook_panics_total 0$/m,
      /^controller_runtime_conversion_webhook_panics_total 0$/m,
      /^certwatcher_read_certificate_total 0$/m,
      /^certwatcher_read_certificate_errors_total 0$/m,
      /^process_resident_memory_bytes \d/m,
      /^tsbuilder_failing_requests\{controller="measured"\} 0$/m,
      /^tsbuilder_heap_limit_bytes [1-9]/m,
      /^tsbuilder_informer_objects\{group="",version="v1",kind="ConfigMap"\} [1-9]/m,
    ])
      expect(text).toMatch(line);
    manager.stop();
    await end;
  });
});
