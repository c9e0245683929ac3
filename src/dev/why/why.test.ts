import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { createClient, loadConfig, ownerReferenceTo, type Stored } from "@tsbuilder/runtime";
import { Deployment, ReplicaSet } from "@tsbuilder/runtime/k8s/apps/v1";
import { Lease } from "@tsbuilder/runtime/k8s/coordination/v1";
import { ConfigMap, Event, Pod, Secret } from "@tsbuilder/runtime/k8s/core/v1";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Widget, widgetDefinition } from "../../../e2e/support/runtime/widget-kinds.ts";
import type { RecordedReconcile } from "../record/recorded.ts";
import { RecordFile } from "../record/record-file.ts";
import { rememberConfig } from "../running-session.ts";
import { type Explanation, explainObject } from "./explain-object.ts";
import { readFacts } from "./read-facts.ts";
import { explainWhy } from "./why.ts";

let root: string;
let cluster: TestCluster;
let client: ReturnType<typeof createClient>;
const namespace = "default";

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "why-"));
  cluster = await startTestCluster({ crds: [widgetDefinition] });
  client = createClient(await loadConfig({ kubeconfig: cluster.kubeconfig, env: {} }), {
    fieldManager: "shop",
  });
  mkdirSync(join(root, ".tsbuilder/dev"), { recursive: true });
  writeFileSync(join(root, ".tsbuilder/dev/kubeconfig"), JSON.stringify(cluster.kubeconfig));
  rememberConfig(join(root, ".tsbuilder/dev/kubeconfig"));
});
afterAll(async () => {
  await client.close();
  await cluster.stop();
  rmSync(root, { recursive: true });
});

/** Explains an object of the session. */
const why = (object: string) => explainWhy({ object, cluster: undefined, root, operatorNames: [] });

/** Explains a Widget or another object in the namespace, as of a cluster in which the operator runs. */
async function whyIn(
  kind: string,
  name: string,
  { by = client, deployment }: { by?: typeof client; deployment?: string } = {},
): Promise<Explanation> {
  const operator = {
    names: ["shop"],
    deployment: deployment === undefined ? undefined : { namespace, name: deployment },
  };
  return explainObject(await readFacts({ kind, namespace, name }, { client: by, now: Date.now(), operator }));
}

async function createWidget(
  name: string,
  status: object,
  finalizers: string[] = [],
): Promise<Stored<Widget>> {
  const widget = await client.create(Widget, {
    metadata: { namespace, name, finalizers },
    spec: { size: 1 },
  });
  return client.patchStatus(Widget, widget, status);
}

const pod = {
  metadata: { labels: { app: "a" } },
  spec: { containers: [{ name: "a", image: "a" }] },
};

test("tells of the conditions, of children that aren't ready, of Events and of who wrote what", async () => {
  const lastTransitionTime = "2026-01-02T03:04:05Z";
  const conditions = [
    { type: "Ready", status: "False", reason: "Waiting", message: "one more", lastTransitionTime },
  ];
  const widget = await createWidget("full", { conditions, observedGeneration: 0 });
  const selector = { matchLabels: { app: "a" } };
  const ownerReferences = [ownerReferenceTo(widget)];
  const deployment = await client.create(Deployment, {
    metadata: { namespace, name: "full", ownerReferences },
    spec: { replicas: 0, selector, template: pod },
  });
  await client.create(ReplicaSet, {
    metadata: { namespace, name: "full-1", ownerReferences: [ownerReferenceTo(deployment)] },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: "b" } },
      template: { ...pod, metadata: { labels: { app: "b" } } },
    },
  });
  await client.create(Secret, {
    metadata: { namespace, name: "full", ownerReferences },
    stringData: { key: "hunter2" },
  });
  await client
    .with({ fieldManager: "someone-else" })
    .patch(Deployment, { namespace, name: "full" }, { merge: { spec: { paused: true } } });
  await client.create(Event, {
    metadata: { namespace, name: "full.1" },
    involvedObject: {
      apiVersion: "example.com/v1",
      kind: "Widget",
      namespace,
      name: "full",
      uid: widget.metadata.uid,
    },
    type: "Warning",
    reason: "NoRoom",
    message: "no node has room",
    count: 3,
    lastTimestamp: new Date().toISOString(),
  });
  const { explanation, lines } = await why("widget/full");
  expect(explanation).toMatchObject({
    object: "Widget default/full",
    resource: "widgets.example.com",
    tone: "busy",
    generation: 1,
    observedGeneration: 0,
    conditions: [{ type: "Ready", status: "False", reason: "Waiting", since: "2026-01-02T03:04:05.000Z" }],
    events: [{ about: "Widget default/full", reason: "NoRoom", isWarning: true, times: 3 }],
  });
  expect(explanation.children.map(({ object, depth }) => [object, depth])).toEqual([
    ["Deployment default/full", 1],
    ["ReplicaSet default/full-1", 2],
    ["Secret default/full", 1],
  ]);
  const told = explanation.causes.map(({ text }) => text);
  expect(told).toContainEqual(
    expect.stringContaining("generation 1, and its status tells of 0: shop changed it"),
  );
  expect(told).toContainEqual(expect.stringMatching(/^Ready is False for \w+: Waiting: one more$/u));
  expect(told).toContainEqual(
    expect.stringMatching(/^Event about Widget default\/full, .*NoRoom: no node has room$/u),
  );
  expect(told).toContainEqual(
    expect.stringContaining(
      "someone-else, which is not the operator, set spec.paused of Deployment default/full",
    ),
  );
  expect(explanation.writers).toContainEqual(
    expect.objectContaining({
      manager: "shop",
      subresource: "status",
      fields: expect.arrayContaining(["status.observedGeneration"]),
    }),
  );
  expect(lines.join("\n")).not.toContain("hunter2");
  expect(lines[0]).toBe("Widget default/full is in progress: Ready is False: Waiting: one more");
  const owner = (await why("replicasets.apps/default/full-1")).explanation.owners;
  expect(owner.map(({ object, exists }) => [object, exists])).toEqual([
    ["Deployment default/full", true],
    ["Widget default/full", true],
  ]);
});

test("a deletion that hangs names the finalizers that hold it", async () => {
  await createWidget("held", {}, ["example.com/cleanup"]);
  await client.delete(Widget, { namespace, name: "held" });
  const { explanation } = await why("widget/held");
  expect(explanation.deletion?.finalizers).toEqual(["example.com/cleanup"]);
  expect(explanation.causes[0]).toMatchObject({
    kind: "deletion",
    text: expect.stringMatching(/waits for the finalizer example\.com\/cleanup$/u) as string,
  });
});

test("in a session, what the operator decided, and why, comes from its record", async () => {
  await createWidget("failing", { ready: 1 });
  const file = new RecordFile(join(root, ".tsbuilder/dev"));
  file.clear();
  const reconcile = (seconds: number): RecordedReconcile => ({
    controller: "widget",
    request: "default/failing",
    reconcileID: `${seconds}`,
    at: new Date(Date.now() - seconds * 1000).toISOString(),
    causes: ["update of Widget default/failing"],
    outcome: "error",
    requests: [
      {
        method: "PUT",
        path: "/apis/example.com/v1/namespaces/default/widgets/failing/status",
        code: "403",
        seconds: 0.01,
      },
    ],
    error: "widgets.example.com is forbidden",
    seconds: 0.02,
  });
  file.append([reconcile(20), reconcile(10)]);
  const { explanation, lines } = await why("widget/failing");
  expect(explanation.tone).toBe("bad");
  expect(explanation.causes.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(["finding", "reconcile"]),
  );
  expect(explanation.causes.find(({ kind }) => kind === "reconcile")?.text).toMatch(
    /^Its reconcile fails, 2 times in a row .*widgets\.example\.com is forbidden$/u,
  );
  expect(explanation.reconciles?.[0]?.text).toMatch(/because of update of Widget default\/failing: error/u);
  expect(lines).toContainEqual(
    expect.stringContaining("PUT /apis/example.com/v1/namespaces/default/widgets/failing/status: 403"),
  );
  expect(explanation.unknown).not.toContainEqual(expect.stringContaining("record"));
});

test("in another cluster, how the operator runs is read, and what can't be known is named", async () => {
  const labels = { "control-plane": "controller-manager", "app.kubernetes.io/name": "shop" };
  await createWidget("elsewhere", { ready: 1 });
  const recording = { name: "manager", image: "a", args: ["--recorder-bind-address=127.0.0.1:8082"] };
  const before = await whyIn("widget", "elsewhere");
  expect(before.unknown).toContainEqual(expect.stringContaining("no Deployment with the label"));
  await client.create(Deployment, {
    metadata: { namespace, name: "shop-controller-manager", labels },
    spec: {
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [recording] } },
    },
  });
  await client.create(Lease, {
    metadata: { namespace, name: "shop" },
    spec: { holderIdentity: "gone", leaseDurationSeconds: 15, renewTime: "2026-01-02T03:04:05.000000Z" },
  });
  const explanation = await whyIn("widget", "elsewhere");
  expect(explanation.causes.slice(0, 2).map(({ text }) => text)).toEqual([
    "The operator does not run: 0 of 0 pods of default/shop-controller-manager are ready",
    expect.stringMatching(/^Nobody leads: gone renewed the Lease default\/shop last/u),
  ]);
  expect(explanation.reconciles).toBeUndefined();
  expect(explanation.unknown).toContainEqual(expect.stringContaining("there is no record of them"));
  const named = await whyIn("widget", "elsewhere", { deployment: "shop-controller-manager" });
  expect(named.causes[0]!.kind).toBe("operator");
  await expect(whyIn("widget", "elsewhere", { deployment: "none" })).rejects.toMatchObject({
    code: "NOT_FOUND",
  });
  const deployment = await client.get(Deployment, { namespace, name: "shop-controller-manager" });
  await client.patchStatus(Deployment, deployment, { replicas: 1, readyReplicas: 1 });
  await client.create(Pod, { metadata: { namespace, name: "shop-1", labels }, spec: pod.spec });
  const running = await whyIn("widget", "elsewhere");
  expect(running.causes[0]!.text).toMatch(/^Nobody leads/u);
  // The embedded cluster has no containers, and so no log and no ports.
  expect(running.unknown).toContainEqual(expect.stringMatching(/^the operator's log: /u));
  expect(running.unknown).toContainEqual(expect.stringMatching(/^what the operator recorded: /u));
});

test("who may read little is told what is missing", async () => {
  await client.create(ConfigMap, { metadata: { namespace, name: "seen" } });
  await cluster.install(
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "Role",
      metadata: { namespace, name: "little" },
      rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list"] }],
    },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      metadata: { namespace, name: "little" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "little" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "bob" }],
    },
  );
  const bob = createClient(await loadConfig({ kubeconfig: cluster.addUser("bob", []), env: {} }));
  const explanation = await whyIn("configmap", "seen", { by: bob });
  await bob.close();
  expect(explanation.object).toBe("ConfigMap default/seen");
  expect(explanation.unknown).toEqual(
    expect.arrayContaining([
      "the Events: you may not read them",
      expect.stringMatching(/^what is owned among .*secrets.*: you may not list them$/u) as string,
      "how the operator runs: you may not read them",
    ]),
  );
});

test("what doesn't exist, and a name of another form, are refused with what there is", async () => {
  await createWidget("there", {});
  await expect(why("widget/missing")).rejects.toMatchObject({
    code: "NOT_FOUND",
    hint: expect.stringContaining("there") as string,
  });
  await expect(why("nothing/missing")).rejects.toMatchObject({ code: "NOT_FOUND" });
  for (const name of ["widget", "widget/", "/a", "a/b/c/d"])
    await expect(why(name)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
});
