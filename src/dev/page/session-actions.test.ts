import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Desired, KubernetesObject } from "@tsbuilder/runtime";
import { StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import { ConfigMap, Pod, Secret } from "@tsbuilder/runtime/k8s/core/v1";
import { eventually } from "@tsbuilder/runtime/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { DevCluster } from "../cluster/dev-cluster.ts";
import { startEmbeddedCluster } from "../cluster/embedded-cluster.ts";
import { RecentRecord } from "../record/recent-record.ts";
import type { RecordedWrite } from "../record/recorded.ts";
import { SessionRecording } from "../record/session-recording.ts";
import { operatorClient } from "./testdata/operator-client.ts";
import type { PageActions } from "./page-action.ts";
import { type ActionParts, sessionActions } from "./session-actions.ts";

let folder: string;
let cluster: DevCluster;
let record: RecentRecord;
let actions: PageActions;
let steps: string[];
let problems: unknown[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "session actions "));
  record = new RecentRecord();
  [steps, problems] = [[], []];
  const recording = new SessionRecording(undefined, {
    project: "shop",
    tsbuilder: "",
    describe: String,
    onEnd: () => undefined,
    recent: record,
  });
  recording.open();
  cluster = await startEmbeddedCluster(
    folder,
    { projectName: "shop", port: undefined, persist: false, onWrite: (write) => recording.write(write) },
    (event) => event.type === "error" && problems.push(event.error),
  );
  actions = sessionActions({
    cluster,
    record,
    since: new Date().toISOString(),
    apply: async () => void steps.push("apply"),
    hasMovableClock: true,
    operator: {
      restart: async (meanwhile) => {
        steps.push("stop");
        await meanwhile?.();
        steps.push("start");
      },
      endsAfter: async () => true,
      moveClock: () => {},
    },
    between: (work) => work(new AbortController().signal),
    signal: new AbortController().signal,
  });
});
afterEach(async () => {
  await cluster.stop();
  rmSync(folder, { recursive: true, force: true });
  if (problems.length > 0) throw new AggregateError(problems);
});

const namespace = "default";

/** Returns a moment after all earlier and before all later writes. */
async function nextMoment(): Promise<string> {
  const now = Date.now();
  await eventually(() => Date.now() > now + 1);
  return new Date(now + 1).toISOString();
}

function configMap(name: string, value: string) {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data: { value } } as const;
}

const labels = { app: "db" };
const statefulSet = {
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { name: "db", namespace },
  spec: {
    replicas: 2,
    serviceName: "db",
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "db", image: "db" }] } },
  },
} satisfies Desired<StatefulSet>;

async function podsOf(count: number): Promise<ReadonlyMap<string, string>> {
  return eventually(async () => {
    const pods = await cluster.client.list(Pod, { namespace, labels });
    expect(pods.map(({ status }) => status?.phase)).toEqual(Array.from({ length: count }, () => "Running"));
    return new Map(pods.map(({ metadata }) => [metadata.name, metadata.uid]));
  });
}

test("back at a moment, objects are what they were, their controllers go on, and watchers see it", async () => {
  const { client } = cluster;
  await client.create(ConfigMap, configMap("changed", "before"));
  const changed = await client.get(ConfigMap, { namespace, name: "changed" });
  await client.create(Secret, {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "login", namespace },
    stringData: { password: "hunter2" },
  });
  const set = await client.create(StatefulSet, statefulSet);
  const pods = await podsOf(2);
  await eventually(async () =>
    expect((await client.get(StatefulSet, { namespace, name: "db" })).status?.readyReplicas).toBe(2),
  );
  const at = await nextMoment();

  const seen: string[] = [];
  const ended = new AbortController();
  const watching = (async () => {
    for await (const { type, object } of client.watch(ConfigMap, { namespace, signal: ended.signal }))
      seen.push(`${type} ${object.metadata.name} ${(object as ConfigMap).data?.["value"] ?? ""}`);
  })().catch(() => undefined);
  await eventually(() => expect(seen).toContain("ADDED changed before"));
  await client.create(ConfigMap, configMap("later", "1"));
  await client.update(ConfigMap, configMap("changed", "after"));
  await client.delete(Secret, { namespace, name: "login" });
  await client.delete(StatefulSet, { namespace, name: "db" }, { propagationPolicy: "Background" });
  await podsOf(0);
  await eventually(() => expect(seen).toContain("MODIFIED changed after"));
  seen.length = 0;

  expect(await actions["restore"]!({ at })).toEqual({ at });
  expect(steps).toEqual(["stop", "apply", "start"]);
  expect(await client.get(ConfigMap, { namespace, name: "changed" })).toMatchObject({
    metadata: { uid: changed.metadata.uid },
    data: { value: "before" },
  });
  expect(await client.find(ConfigMap, { namespace, name: "later" })).toBeUndefined();
  expect((await client.get(Secret, { namespace, name: "login" })).data).toEqual({ password: "aHVudGVyMg==" });
  expect((await client.get(StatefulSet, { namespace, name: "db" })).metadata.uid).toBe(set.metadata.uid);
  await eventually(() =>
    expect(seen).toEqual(expect.arrayContaining(["DELETED later 1", "MODIFIED changed before"])),
  );
  ended.abort();
  await watching;
  // A third Pod proves that its controller and the kubelet saw the restored objects, and kept the other Pods.
  await client.patch(StatefulSet, set, (draft) => void (draft.spec!.replicas = 3), { optimisticLock: false });
  expect([...(await podsOf(3))].slice(0, 2)).toEqual([...pods]);
});

test("a CRD that was deleted comes back with its objects, and one that was created later goes", async () => {
  const { client } = cluster;
  const definition = (plural: string, kind: string): KubernetesObject & { metadata: { name: string } } =>
    ({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `${plural}.example.com` },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural, kind },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          },
        ],
      },
    }) as KubernetesObject & { metadata: { name: string } };
  const crds = await client.mapper.kindFor({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
  });
  const create = async (plural: string, kind: string): Promise<void> => {
    await client.create(crds, definition(plural, kind) as never);
    const made = await client.mapper.kindFor({ apiVersion: "example.com/v1", kind });
    await client.create(made, {
      apiVersion: "example.com/v1",
      kind,
      metadata: { name: "one", namespace },
    });
  };
  await create("boxes", "Box");
  const boxes = await client.mapper.kindFor({ apiVersion: "example.com/v1", kind: "Box" });
  const before = await client.get(boxes, { namespace, name: "one" });
  const at = await nextMoment();
  await client.delete(crds, { name: "boxes.example.com" });
  await eventually(async () =>
    expect(await client.find(crds, { name: "boxes.example.com" })).toBeUndefined(),
  );
  await create("lids", "Lid");

  await actions["restore"]!({ at });
  expect((await client.get(boxes, { namespace, name: "one" })).metadata.uid).toBe(before.metadata.uid);
  expect(await client.find(crds, { name: "lids.example.com" })).toBeUndefined();
  const lids = await client.mapper.kindFor({ apiVersion: "example.com/v1", kind: "Lid" });
  await expect(client.list(lids, { namespace })).rejects.toMatchObject({ status: 404 });
  // The kind is served again: a new object can be created.
  await client.create(boxes, {
    apiVersion: "example.com/v1",
    kind: "Box",
    metadata: { name: "two", namespace },
  });
});

test.each([
  ["a moment before the session", "2000-01-01T00:00:00.000Z", /^choose a moment from .*Z on$/],
  ["a moment that is still to come", "2999-01-01T00:00:00.000Z", /before now/],
  ["what is no moment", "yesterday", /before now/],
])("%s is refused, and the operator runs on", async (_, at, hint) => {
  await expect(actions["restore"]!({ at })).rejects.toMatchObject({ hint: expect.stringMatching(hint) });
  expect(steps).toEqual([]);
});

test("what is deleted goes with what it owns", async () => {
  await cluster.client.create(StatefulSet, statefulSet);
  await podsOf(2);
  const ref = { apiVersion: "apps/v1", kind: "StatefulSet", namespace, name: "db" };
  expect(await actions["delete"]!(ref)).toEqual({});
  await podsOf(0);
  await expect(actions["delete"]!(ref)).rejects.toMatchObject({
    code: 404,
    message: 'statefulsets.apps "db" not found',
  });
});

test("what the page writes and deletes is recorded as the page's", async () => {
  const object = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: told }";
  await actions["apply"]!({ object });
  await actions["delete"]!({ apiVersion: "v1", kind: "ConfigMap", namespace, name: "told" });
  const lines = record
    .text()
    .split("\n")
    .filter((line) => line.includes(`"key":"default/told"`));
  expect(lines.map((line) => (JSON.parse(line) as RecordedWrite).by)).toEqual([
    { user: "kubernetes-admin", userAgent: "tsbuilder-page" },
    { user: "kubernetes-admin", userAgent: "tsbuilder-page" },
  ]);
});

test("the operator's next requests fail as planned, and nobody else's", async () => {
  const plan = { verb: "create", resource: "configmaps", code: 503, times: 1 };
  expect(await actions["fail"]!(plan)).toMatchObject({ plans: [{ outcome: { code: 503 }, times: 1 }] });
  const operator = await operatorClient(cluster);
  await cluster.client.create(ConfigMap, configMap("a", "1"));
  await expect(operator.create(ConfigMap, configMap("b", "1"))).rejects.toMatchObject({ status: 503 });
  await operator.create(ConfigMap, configMap("b", "1"));
  await actions["fail"]!({ ...plan, times: 0 });
  expect(await actions["fail"]!({ ...plan, resource: "*" })).toMatchObject({ plans: [{ resource: "*" }] });
  await operator.close();
});

test("no failure is planned for what the cluster does not have", async () => {
  const plan = { verb: "get", resource: "StatefulSet", code: 500 };
  await expect(actions["fail"]!(plan)).rejects.toMatchObject({ hint: 'did you mean "statefulsets.apps"?' });
  expect(cluster.controls!.failures.plans).toEqual([]);
});

test("a cluster that others have, too, is left alone", () => {
  const { controls: _, ...others } = cluster;
  const nothing = async () => {};
  const parts: ActionParts = {
    cluster: others,
    record,
    since: "",
    apply: nothing,
    hasMovableClock: true,
    operator: { restart: nothing, endsAfter: async () => true, moveClock: () => {} },
    between: (work) => work(new AbortController().signal),
    signal: new AbortController().signal,
  };
  expect(Object.keys(sessionActions(parts))).toEqual(["restart"]);
  expect(Object.keys(sessionActions({ ...parts, cluster, record: undefined }))).not.toContain("restore");
  expect(Object.keys(sessionActions({ ...parts, cluster }))).toContain("move-clock");
  const withoutClock = sessionActions({ ...parts, cluster, hasMovableClock: false });
  expect(Object.keys(withoutClock)).not.toContain("move-clock");
});

test.each([
  ["delete", {}, '"apiVersion" must be a text'],
  ["delete", [], "the body must be an object"],
  ["delete", null, "the body must be an object"],
  ["apply", { object: 1 }, '"object" must be a text'],
  ["apply", { object: "a", dryRun: "yes" }, '"dryRun" must be true or false'],
  ["restore", {}, '"at" must be a text'],
  [
    "fail",
    { verb: "get", resource: "pods", code: 200 },
    'either "code" must be one of 403, 409, 500, 503, or "delay" be set',
  ],
  [
    "fail",
    { verb: "get", resource: "pods" },
    'either "code" must be one of 403, 409, 500, 503, or "delay" be set',
  ],
  ["fail", { verb: "get", resource: "pods", delay: 1e9 }, '"delay" must be a whole number up to 60000'],
])("%s refuses %j", async (name, input, message) => {
  await expect(actions[name]!(input)).rejects.toMatchObject({ code: 400, message });
});
