import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import {
  createClient,
  createLogger,
  loadConfig,
  Manager,
  type ManagerOptions,
  type NamespacedName,
  ownerReferenceTo,
  type Reconciler,
} from "@tsbuilder/runtime";
import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { Lease } from "@tsbuilder/runtime/k8s/coordination/v1";
import { ConfigMap, Pod, ResourceQuota } from "@tsbuilder/runtime/k8s/core/v1";
import { expect, onTestFinished, test } from "vitest";
import { eventually } from "../../../e2e/support/eventually.ts";
import { Widget, widgetDefinition } from "../../../e2e/support/runtime/widget-kinds.ts";
import { Findings } from "../record/findings/findings.ts";
import { FlightReader } from "@tsbuilder/runtime/advanced";
import { FlightLines } from "../record/flight-lines.ts";
import type { Recorded } from "../record/recorded.ts";
import { explainObject } from "./explain-object.ts";
import { readFacts } from "./read-facts.ts";
import { warningsIn } from "./read-operator.ts";

// Nights: the operator runs, and something is planted. Its recorder and its log are read as those of a deployed operator.

const namespace = "default";
const key = { namespace, name: "a" };

async function fetchRecorded(recorder: string): Promise<Recorded[]> {
  const answer = await fetch(`http://${recorder}/record`);
  const lines = new FlightLines("operator");
  const read = new FlightReader().push(new Uint8Array(await answer.arrayBuffer()));
  return [...read.flatMap((line) => [...lines.add(line)]), ...lines.unfinished()];
}

type Reconcile = Reconciler<NamespacedName>["reconcile"];

interface Night {
  readonly cluster: TestCluster;
  readonly client: ReturnType<typeof createClient>;
  readonly manager: Manager;
  /** Resolves when the manager has ended, with its failure if it has one. */
  readonly ended: Promise<unknown>;
  readonly reconciles: () => number;
  /** Explains the Widget as seen after so many minutes. */
  explain(minutes?: number): Promise<{ readonly causes: string[]; readonly probablyWrong: string[] }>;
}

interface Operator extends Partial<ManagerOptions> {
  /** The user that it is. Default: the administrator. */
  readonly user?: string;
  readonly reconcile: (manager: Manager) => Reconcile;
  readonly setUp?: (manager: Manager) => void;
}

/** Starts a cluster with an operator for Widgets. */
async function begin(
  { user, reconcile, setUp, ...options }: Operator,
  plant?: (cluster: TestCluster) => Promise<unknown>,
): Promise<Night> {
  const cluster = await startTestCluster({ crds: [widgetDefinition] });
  onTestFinished(() => cluster.stop());
  const client = createClient(() => loadConfig({ kubeconfig: cluster.kubeconfig, env: {} }), {
    fieldManager: "kubectl",
  });
  onTestFinished(() => client.close());
  await plant?.(cluster);
  let lines = "";
  let count = 0;
  const kubeconfig = user === undefined ? cluster.kubeconfig : cluster.addUser(user, []);
  const manager = new Manager({
    name: "shop",
    config: () => loadConfig({ kubeconfig, env: {} }),
    logger: createLogger({ encoder: "json", write: (line) => void (lines += line) }),
    recorder: { bindAddress: "127.0.0.1:0" },
    gracefulShutdownTimeout: "1s",
    ...options,
  });
  const run = reconcile(manager);
  const counted: Reconcile = (request, context) => {
    count++;
    return run(request, context);
  };
  manager.controllerFor(Widget).owns(Deployment).complete({ reconcile: counted });
  setUp?.(manager);
  const ended = manager.start().catch((error: unknown) => error);
  onTestFinished(async () => {
    manager.stop();
    await ended;
  });
  return {
    cluster,
    client,
    manager,
    ended,
    reconciles: () => count,
    async explain(minutes = 0) {
      const { recorder } = manager.addresses;
      const record = recorder === undefined ? undefined : await fetchRecorded(recorder);
      const now = Date.now() + minutes * 60_000;
      const facts = await readFacts({ kind: "widget", ...key }, { client, now, record });
      const { causes } = explainObject({ ...facts, log: warningsIn(lines, facts.object) });
      const findings = new Findings();
      for (const line of record ?? []) findings.add(line);
      return {
        causes: causes.map(({ text, advice }) => [text, advice].filter(Boolean).join(": ")),
        probablyWrong: findings.list(now).map(({ title, text }) => `${title}: ${text}`),
      };
    },
  };
}

const createWidget = ({ client }: Night, metadata: object = {}) =>
  client.create(Widget, { metadata: { ...key, ...metadata }, spec: { size: 1 } });

const nothing = (): Reconcile => async () => {};

test("two operators fight over a field", async () => {
  const labels = { app: "a" };
  const night = await begin({
    reconcile: (manager) => async (request) => {
      const widget = await manager.client.find(Widget, request);
      if (!widget) return;
      const template = { metadata: { labels }, spec: { containers: [{ name: "a", image: "a" }] } };
      await manager.client.apply(Deployment, {
        metadata: { ...request, ownerReferences: [ownerReferenceTo(widget)] },
        spec: { replicas: 0, selector: { matchLabels: labels }, template },
      });
    },
  });
  const other = new Manager({
    name: "scaler",
    config: () => loadConfig({ kubeconfig: night.cluster.kubeconfig, env: {} }),
    logger: createLogger({ write() {} }),
  });
  other.controllerFor(Deployment).complete({
    reconcile: async (request) =>
      void (await other.client.apply(Deployment, { metadata: request, spec: { replicas: 1 } as never })),
  });
  const ended = other.start();
  onTestFinished(async () => {
    other.stop();
    await ended;
  });
  await createWidget(night);
  await eventually(async () =>
    expect((await night.client.get(Deployment, key)).metadata.generation).toBeGreaterThan(60),
  );
  const { causes } = await night.explain();
  // Either of them takes the field from the other, and the object names the last one.
  expect(causes[0]).toMatch(
    /^The spec of Deployment default\/a changed \d+ times in .*: who (?:writes it: scaler and shop|wrote it last: (?:scaler|shop)\. Ask again: of two)/u,
  );
});

test("a hot loop", async () => {
  const night = await begin({
    reconcile: (manager) => async (request) => {
      const widget = await manager.client.find(Widget, request);
      if (widget) await manager.client.patchStatus(Widget, widget, { note: String(Math.random()) });
    },
  });
  await createWidget(night);
  await eventually(() => night.reconciles() > 40);
  const { causes, probablyWrong } = await night.explain();
  expect(causes[0]).toMatch(/^widget makes itself reconcile default\/a again and again/u);
  expect(probablyWrong[0]).toMatch(/^widget makes itself reconcile default\/a again and again/u);
});

/** Serves a webhook that decides about ConfigMaps. */
async function webhookAt(notAfter: Date | undefined, timeoutSeconds: number) {
  const ca = createCA({ commonName: "webhooks" });
  const { cert, key: privateKey } = issueCertificate(ca, {
    ipAddresses: ["127.0.0.1"],
    usages: ["server"],
    ...(notAfter && { notBefore: new Date(notAfter.getTime() - 86_400_000), notAfter }),
  });
  // Answers to nothing.
  const server = createServer({ cert, key: privateKey }, () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "policy" },
    webhooks: [
      {
        name: "v.policy.example.com",
        clientConfig: {
          url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/v`,
          caBundle: Buffer.from(ca.cert).toString("base64"),
        },
        rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["configmaps"] }],
        failurePolicy: "Fail",
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        timeoutSeconds,
      },
    ],
  };
}

const writesConfigMap =
  (manager: Manager): Reconcile =>
  async (request) => {
    const widget = await manager.client.find(Widget, request);
    if (widget) await manager.client.apply(ConfigMap, { metadata: request, data: { a: "b" } });
  };

test("a webhook that is too slow", async () => {
  const night = await begin({ reconcile: writesConfigMap }, async (cluster) =>
    cluster.install(await webhookAt(undefined, 1)),
  );
  await createWidget(night);
  await eventually(() => night.reconciles() > 1);
  const { causes, probablyWrong } = await night.explain();
  expect(causes.join("\n")).toMatch(/v\.policy\.example\.com.*deadline exceeded/u);
  expect(probablyWrong[0]).toMatch(
    /^PATCH of configmaps is slow: .*see whether a webhook for this resource is slow$/u,
  );
});

test("an expired certificate", async () => {
  const night = await begin({ reconcile: writesConfigMap }, async (cluster) =>
    cluster.install(await webhookAt(new Date(Date.now() - 60_000), 10)),
  );
  await createWidget(night);
  await eventually(() => night.reconciles() > 6);
  const { causes, probablyWrong } = await night.explain();
  expect(causes[0]).toMatch(/certificate has expired/u);
  expect(probablyWrong[0]).toMatch(/^widget keeps failing for default\/a: .*certificate has expired/u);
});

test("a right that was lost", async () => {
  const rules = [
    { apiGroups: ["example.com"], resources: ["widgets", "widgets/status"], verbs: ["*"] },
    { apiGroups: ["apps"], resources: ["deployments"], verbs: ["*"] },
  ];
  const bind = (name: string, more: object[]) => [
    { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name }, rules: more },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "shop" }],
    },
  ];
  const night = await begin({ user: "shop", reconcile: writesConfigMap }, (cluster) =>
    cluster.install(...bind("shop", rules)),
  );
  await createWidget(night);
  await eventually(() => night.reconciles() > 3);
  const { causes, probablyWrong } = await night.explain();
  expect(causes[0]).toMatch(/^widget is not allowed to patch configmaps/u);
  expect(probablyWrong[0]).toMatch(/^widget is not allowed to patch configmaps/u);
});

test("a finalizer that nobody removes", async () => {
  const night = await begin({ reconcile: nothing });
  await createWidget(night, { finalizers: ["shop.example.com/backup"] });
  await eventually(() => night.reconciles() > 0);
  await night.client.delete(Widget, key);
  const { causes, probablyWrong } = await night.explain(22);
  expect(causes[0]).toMatch(/requested 22m ago, and waits for the finalizer shop\.example\.com\/backup/u);
  expect(probablyWrong[0]).toMatch(/^Widget default\/a can't be deleted: .*shop\.example\.com\/backup/u);
});

test("a leader that flaps", async () => {
  const night = await begin({ reconcile: nothing, leaderElection: { id: "shop", namespace } });
  await createWidget(night);
  await eventually(() => night.reconciles() > 0);
  await night.client.patch(
    Lease,
    { namespace, name: "shop" },
    { merge: { spec: { holderIdentity: "other", leaseTransitions: 7 } } },
  );
  await night.ended;
  const { causes } = await night.explain();
  expect(causes[0]).toMatch(/^The operator's log, .*Lost the lease/u);
});

test("a queue that starves", async () => {
  const night = await begin({
    reconcile:
      (manager) =>
      async (request, { signal }) => {
        const widget = await manager.client.find(Widget, request);
        if (request.name === "slow")
          await new Promise((resolve) => {
            signal.addEventListener("abort", resolve);
          });
        else if (widget)
          await manager.client.patchStatus(Widget, widget, {
            observedGeneration: widget.metadata.generation,
          } as never);
      },
  });
  await createWidget(night);
  await eventually(async () => expect((await night.client.get(Widget, key)).status).toBeDefined());
  await night.client.create(Widget, { metadata: { namespace, name: "slow" }, spec: {} });
  await eventually(() => night.reconciles() > 2);
  await night.client.patch(Widget, key, { merge: { spec: { size: 5 } } });
  const causes = await eventually(async () => {
    const explained = await night.explain(5);
    expect(explained.causes[0]).toMatch(/worker/u);
    return explained.causes;
  });
  expect(causes[0]).toMatch(
    /^The only worker of widget is busy, with default\/slow for 5m\d*s?, while 1 request waits: see what that reconcile waits for/u,
  );
  expect(causes[1]).toMatch(/^Its spec has generation 2, and its status tells of 1: kubectl changed it/u);
});

test("a cache that leaves the object out", async () => {
  const night = await begin({ reconcile: nothing, cache: { kinds: [[Widget, { labels: "tier=gold" }]] } });
  await night.manager.started;
  await createWidget(night);
  await night.client.create(Widget, {
    metadata: { namespace, name: "other", labels: { tier: "gold" } },
    spec: {},
  });
  await eventually(() => night.reconciles() > 0);
  const { causes } = await night.explain(5);
  expect(causes[0]).toMatch(
    /^It has no status: the operator's record has no reconcile of it: its cache may select other labels/u,
  );
});

test("a quota that is used up", async () => {
  const hard = { pods: "0" };
  const night = await begin(
    {
      reconcile: (manager) => async (request) => {
        const widget = await manager.client.find(Widget, request);
        if (widget)
          await manager.client.apply(Pod, {
            metadata: request,
            spec: { containers: [{ name: "a", image: "a" }] },
          });
      },
    },
    (cluster) =>
      cluster.install({
        apiVersion: "v1",
        kind: "ResourceQuota",
        metadata: { namespace, name: "q" },
        spec: { hard },
      }),
  );
  // A test's cluster runs no controllers.
  const quota = await night.client.get(ResourceQuota, { namespace, name: "q" });
  await night.client.patchStatus(ResourceQuota, quota, { hard, used: hard });
  await createWidget(night);
  await eventually(() => night.reconciles() > 6);
  const { causes, probablyWrong } = await night.explain();
  expect(causes[0]).toMatch(/exceeded quota: q/u);
  expect(probablyWrong[0]).toMatch(/exceeded quota: q/u);
});
