import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { createClient, loadConfig, type ManagerOptions } from "@tsbuilder/runtime";
import { type FaultProxy, startFaultProxy } from "@tsbuilder/runtime/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { customPanel, runtimePanels } from "../../../src/plugins/optional/grafana.ts";
import { type Hanging, type Shop, shopWebhooks, startShop } from "../../support/alerts/alerting-shop.ts";
import { eventually } from "../../support/eventually.ts";
import { hastenAlerts, hastenWindows, timeAlerts } from "../../support/alerts/hasten-alerts.ts";
import { ownPort } from "../../support/own-port.ts";
import { missingPrometheus, scaffoldAlerts } from "../../support/alerts/prometheus.ts";
import { type PrometheusServer, startPrometheusServer } from "../../support/alerts/prometheus-server.ts";
import { Widget, widgetDefinition } from "../../support/runtime/widget-kinds.ts";

// A real Prometheus scrapes a running operator: each alert but OperatorRestarts, MemoryNearLimit and ConversionFails
// fires when its cause is made, and clears when it is gone. The tests depend on each other.

const missing = missingPrometheus();
if (missing !== undefined) console.log(`left out: alerts of a real Prometheus: ${missing}`);
const folder = mkdtempSync(join(tmpdir(), "tsbuilder-alerts-"));
const hanging: Hanging = { release() {} };
const ca = createCA({ commonName: "shop" });
let cluster: TestCluster;
let client: ReturnType<typeof createClient>;
let proxy: FaultProxy;
let prometheus: PrometheusServer;
let options: Partial<ManagerOptions>;
let shop: Shop;

beforeAll(async () => {
  if (missing !== undefined) return;
  cluster = await startTestCluster({ crds: [widgetDefinition] });
  const config = await loadConfig({ kubeconfig: cluster.kubeconfig, env: {} });
  client = createClient(config);
  proxy = await startFaultProxy(config);
  const [metrics, webhooks] = [await ownPort(), await ownPort()];
  certify(90);
  await cluster.install(shopWebhooks(webhooks, ca.cert));
  options = {
    metrics: { bindAddress: `127.0.0.1:${metrics}` },
    // A lease that a slow machine does not lose.
    leaderElection: { id: "shop", namespace: "default", leaseDuration: "120s", renewDeadline: "100s" },
    webhooks: { port: webhooks, host: "127.0.0.1", certPath: folder },
  };
  shop = startShop(proxy, options, hanging);
  prometheus = await startPrometheusServer([metrics], hastenAlerts(await scaffoldAlerts()));
});

afterAll(async () => {
  await shop?.stop();
  await prometheus?.stop();
  await proxy?.close();
  await client?.close();
  await cluster?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test.skipIf(missing !== undefined)("nothing fires while an operator works", async () => {
  await client.create(Widget, { metadata: { name: "one", namespace: "default" }, spec: { size: 1 } });
  await eventually(async () =>
    expect(await prometheus.query('sum(controller_runtime_reconcile_total{job="shop"}) > 0')).toHaveLength(1),
  );
  await eventually(async () => expect(await prometheus.firing()).toEqual([]));
  const end = Date.now() / 1000 + 10;
  await eventually(async () => {
    await change(1);
    expect(await prometheus.query(`vector(time()) > ${end}`)).toHaveLength(1);
  });
  // On a busy machine, a reconcile may take the half second that stands for half a minute.
  const fired = await prometheus.fired("9s");
  expect(fired.filter((alert) => !timeAlerts.has(alert))).toEqual([]);
  const slow: { alert: string; samples: unknown }[] = [];
  for (const rule of (await scaffoldAlerts()).filter(({ alert }) => timeAlerts.has(alert)))
    for (const samples of await prometheus.query(hastenWindows(rule)))
      slow.push({ alert: rule.alert, samples });
  expect(slow).toEqual([]);
});

test.skipIf(missing !== undefined)("the queries of the dashboards are answered with numbers", async () => {
  const reconciles = "controller_runtime_reconcile";
  const own = [
    `${reconciles}_total:counter`,
    "workqueue_depth:gauge",
    `${reconciles}_time_seconds:histogram`,
  ];
  // Panels of what isn't as it should be are empty without it.
  await client.create(Widget, {
    metadata: { name: "unready", namespace: "default" },
    spec: { color: "unready" },
  });
  await client.create(Widget, {
    metadata: { name: "kept", namespace: "default", finalizers: ["example.com/kept"] },
    spec: {},
  });
  await client.delete(Widget, { name: "kept", namespace: "default" });
  let size = 1;
  for (const { title, query } of [...runtimePanels(["webhook"]), ...own.map(customPanel)])
    await eventually(async () => {
      await change(size++);
      const numbers = await prometheus.query(query.replaceAll("$job", "shop"));
      expect(numbers.filter(Number.isFinite), `${title}: ${query}`).not.toEqual([]);
    });
});

test.skipIf(missing !== undefined)("objects that stand still: ObjectNotReady, DeletionHangs", async () => {
  await fire("ObjectNotReady", "DeletionHangs");
  await client.patch(
    Widget,
    { name: "kept", namespace: "default" },
    { merge: { metadata: { finalizers: null } } },
  );
  await client.delete(Widget, { name: "unready", namespace: "default" });
  await expect(cleared("ObjectNotReady", "DeletionHangs")).resolves.toEqual([]);
});

test.skipIf(missing !== undefined)("a change that the status never tells of: SpecNotObserved", async () => {
  await change(12, "unobserved");
  await fire("SpecNotObserved");
  await change(12);
  await expect(cleared("SpecNotObserved")).resolves.toEqual([]);
});

test.skipIf(missing !== undefined)("failing writes: ReconcileFails, ApiRequestsFail", async () => {
  proxy.onRequest = ({ path }) =>
    path.includes("/status") ? { type: "answer", status: 500, body: "broken" } : undefined;
  await change(2);
  await fire("ReconcileFails", "ApiRequestsFail");
  proxy.onRequest = () => undefined;
  await expect(cleared("ReconcileFails", "ApiRequestsFail")).resolves.toEqual([]);
});

test.skipIf(missing !== undefined)("a reconcile that waits without end: ReconcileHangs", async () => {
  await change(3, "hangs");
  await fire("ReconcileHangs");
  await change(3);
  hanging.release();
  await expect(cleared("ReconcileHangs")).resolves.toEqual([]);
});

test.skipIf(missing !== undefined)("more slow work than workers: ReconcileSlow, QueueGrows", async () => {
  for (let i = 0; i < 12; i++)
    await client.create(Widget, {
      metadata: { name: `slow-${i}`, namespace: "default" },
      spec: { color: "slow" },
    });
  await fire("ReconcileSlow", "QueueGrows");
  for (let i = 0; i < 12; i++) await client.delete(Widget, { name: `slow-${i}`, namespace: "default" });
  await expect(cleared("ReconcileSlow", "QueueGrows")).resolves.toEqual([]);
});

test.skipIf(missing !== undefined)("code that computes for long: EventLoopBlocked", async () => {
  await change(4, "blocks");
  await fire("EventLoopBlocked");
  await change(4);
  await expect(cleared("EventLoopBlocked")).resolves.toEqual([]);
});

test.skipIf(missing !== undefined)("a watch that goes silent: InformerStale", async () => {
  await expect(cleared("InformerStale")).resolves.toEqual([]);
  proxy.onRequest = ({ path }) =>
    path.includes("/widgets?") && path.includes("watch=") ? { type: "freeze", after: 0 } : undefined;
  proxy.cut();
  // A watch that works would see these changes.
  await fire("InformerStale", () => change(5));
  proxy.onRequest = () => undefined;
  proxy.cut();
  await expect(cleared("InformerStale")).resolves.toEqual([]);
});

test.skipIf(missing !== undefined)("a watch that can't be continued: InformerFails", async () => {
  proxy.onRequest = ({ path }) =>
    path.includes("/widgets?") && path.includes("watch=")
      ? { type: "answer", status: 410, body: gone }
      : undefined;
  proxy.cut();
  await fire("InformerFails");
  proxy.onRequest = () => undefined;
  await expect(cleared("InformerFails")).resolves.toEqual([]);
});

test.skipIf(missing !== undefined)("defects of a webhook: WebhookFails, WebhookSlow", async () => {
  await fire("WebhookFails", () => change(8, "breaks its webhook"));
  await fire("WebhookSlow", () => change(9, "delays its webhook"));
  await expect(cleared("WebhookFails", "WebhookSlow")).resolves.toEqual([]);
});

test.skipIf(missing !== undefined)(
  "a certificate that isn't renewed: WebhookCertificateExpires",
  async () => {
    certify(1);
    await fire("WebhookCertificateExpires", () => change(11));
    certify(90);
    await expect(cleared("WebhookCertificateExpires")).resolves.toEqual([]);
  },
);

test.skipIf(missing !== undefined)("no operator: OperatorDown", async () => {
  await shop.stop();
  await fire("OperatorDown", "PodNotScraped");
  shop = startShop(proxy, options, hanging);
  await expect(cleared("OperatorDown", "PodNotScraped")).resolves.toEqual([]);
});

test.skipIf(missing !== undefined)(
  "a leader that isn't monitored, again and again: NoLeader, LeaderFlaps",
  async () => {
    const isLeading = async (expected: number): Promise<void> => {
      await eventually(async () =>
        expect(await prometheus.query("leader_election_master_status")).toEqual([expected]),
      );
    };
    const unseen = { ...options, ...unmonitored };
    for (let i = 0; i < 4; i++) {
      await isLeading(1);
      await shop.stop();
      const other = startShop(proxy, unseen);
      await other.manager.started;
      shop = startShop(proxy, options, hanging);
      await isLeading(0);
      if (i === 0) await fire("NoLeader");
      await other.stop();
    }
    await fire("LeaderFlaps");
    await isLeading(1);
    await eventually(async () => expect(await prometheus.firing()).not.toContain("NoLeader"));
    // Its window is half an hour: that it clears is shown by promtool.
    expect(await prometheus.firing()).toContain("LeaderFlaps");
  },
);

test.skipIf(missing !== undefined)(
  "a process that isn't monitored has its shards: ShardsUnowned",
  async () => {
    await shop.stop();
    const others = { metrics: options.metrics, webhooks: options.webhooks };
    const sharding = { id: "shop", namespace: "default" };
    shop = startShop(proxy, { ...others, sharding }, hanging);
    const other = startShop(proxy, { ...others, ...unmonitored, sharding });
    await fire("ShardsUnowned");
    await other.stop();
    await eventually(async () => expect(await prometheus.firing()).not.toContain("ShardsUnowned"));
    expect(await prometheus.query("sum(tsbuilder_shard_ranges_held)")).toEqual([64]);
    for (const { title, query } of runtimePanels(["sharding"]).filter(({ title }) => /shard/iu.test(title)))
      expect(await prometheus.query(query.replaceAll("$job", "shop")), `of ${title}`).not.toEqual([]);
  },
);

/** Another process, whose metrics nobody reads. */
const unmonitored = { metrics: {}, webhooks: { enabled: false } };

const gone = JSON.stringify({
  kind: "Status",
  apiVersion: "v1",
  status: "Failure",
  reason: "Expired",
  code: 410,
});

/** Waits until these alerts fire, with all of their texts filled in. */
async function fire(...wanted: readonly (string | (() => Promise<void>))[]): Promise<void> {
  const names = wanted.filter((name) => typeof name === "string");
  const cause = wanted.find((each) => typeof each === "function");
  await eventually(async () => {
    await cause?.();
    expect(await prometheus.firing()).toEqual(expect.arrayContaining(names));
  }, shop.watch);
  const texts = await prometheus.annotations();
  expect(texts.filter((text) => /error expanding|<no value>/u.test(text))).toEqual([]);
}

/** Waits until these alerts don't fire, while the operator has something to do. */
async function cleared(...names: readonly string[]): Promise<readonly string[]> {
  return eventually(async () => {
    await change(0);
    const firing = (await prometheus.firing()).filter((name) => names.includes(name));
    if (firing.length > 0) throw new Error(`${firing.join(", ")} still fires`);
    return firing;
  }, shop.watch);
}

/** Changes the Widget, to say by its color what goes wrong. */
async function change(size: number, color?: string): Promise<void> {
  const note = `${performance.now()}`;
  await client.apply(Widget, {
    metadata: { name: "one", namespace: "default", annotations: { note } },
    spec: { size, ...(color !== undefined && { color }) },
  });
}

/** Gives the webhooks a certificate for so many days. */
function certify(days: number): void {
  const notAfter = new Date(Date.now() + days * 86_400_000);
  const { cert, key } = issueCertificate(ca, {
    commonName: "shop",
    ipAddresses: ["127.0.0.1"],
    usages: ["server"],
    notAfter,
  });
  writeFileSync(join(folder, "tls.key"), key);
  writeFileSync(join(folder, "tls.crt"), cert);
}
