import { afterAll, beforeAll, expect, test } from "vitest";
import type { Pod } from "@tsbuilder/apimachinery/k8s/core/v1";
import { startTestCluster, type TestCluster } from "../../../testing/index.ts";
import { send } from "../../../testing/send.ts";

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster();
});
afterAll(() => cluster.stop());

const pods = "/api/v1/namespaces/default/pods";
const spec = { containers: [{ name: "c", image: "i" }] };

async function call(method: string, path: string, body: object): Promise<{ code: number; body: Pod }> {
  const answer = await send(cluster.kubeconfig, { method, path, body });
  return { code: answer.code, body: answer.body as Pod };
}

const keys = ({ spec }: Pod) => spec?.tolerations?.map(({ key }) => key);

test("an update that replaces the tolerations of a pod keeps those that every pod has", async () => {
  const metadata = { name: "tolerant" };
  const created = await call("POST", pods, { metadata, spec });
  const defaults = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];
  expect(keys(created.body)).toEqual(defaults);
  const tolerations = [{ key: "new", operator: "Equal", value: "v", effect: "NoSchedule" }];
  const changed = { ...created.body, spec: { ...created.body.spec, tolerations } };
  const updated = await call("PUT", `${pods}/tolerant`, changed);
  expect(updated).toMatchObject({ code: 200, body: { metadata: { generation: 2 } } });
  expect(keys(updated.body)).toEqual(["new", ...defaults]);
});

test("an update without what admission has set changes nothing", async () => {
  const metadata = { name: "same" };
  const created = await call("POST", pods, { metadata, spec });
  expect(created.body.spec).toMatchObject({ priority: 0, preemptionPolicy: "PreemptLowerPriority" });
  const { body, code } = await call("PUT", `${pods}/same`, { metadata, spec });
  expect({ code, spec: body.spec, generation: body.metadata.generation }).toEqual({
    code: 200,
    spec: created.body.spec,
    generation: 1,
  });
});

test("a status without observedGeneration keeps the old ones", async () => {
  const created = await call("POST", pods, { metadata: { name: "seen" }, spec });
  const ready = { type: "Ready", status: "True" };
  const status = { observedGeneration: 1, conditions: [{ ...ready, observedGeneration: 1 }] };
  await call("PUT", `${pods}/seen/status`, { metadata: { name: "seen" }, spec: created.body.spec, status });
  const { body } = await call("PUT", `${pods}/seen/status`, {
    metadata: { name: "seen" },
    spec: created.body.spec,
    status: { conditions: [ready, { type: "Initialized", status: "True" }] },
  });
  expect(body.status).toMatchObject({ observedGeneration: 1, conditions: [{ observedGeneration: 1 }, {}] });
  expect(body.status?.conditions?.[1]).not.toHaveProperty("observedGeneration");
});

test("requests that are many powers of ten apart are added, too", async () => {
  const containers = ["1e20000", "1"].map((cpu, index) => ({
    name: `c${index}`,
    image: "i",
    resources: { requests: { cpu } },
  }));
  const apart = await call("POST", pods, { metadata: { name: "apart" }, spec: { containers } });
  expect(apart).toMatchObject({ code: 201, body: { status: { qosClass: "Burstable" } } });
  const resources = { limits: { cpu: "2" } };
  const limited = await call("POST", pods, {
    metadata: { name: "limited" },
    spec: { resources, containers },
  });
  expect(limited.code).toBe(422);
});

test("a new pod's own labels are merged into the selectors that name their keys", async () => {
  const term = { topologyKey: "zone", labelSelector: {} };
  const metadata = { name: "keyed", labels: { hash: "1", team: "a" } };
  const topologySpreadConstraints = [
    { ...term, maxSkew: 1, whenUnsatisfiable: "DoNotSchedule", matchLabelKeys: ["hash", "absent"] },
  ];
  const required = { ...term, matchLabelKeys: ["hash"], mismatchLabelKeys: ["team"] };
  const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [required] } };
  const { body } = await call("POST", pods, {
    metadata,
    spec: { ...spec, affinity, topologySpreadConstraints },
  });
  const mine = { key: "hash", operator: "In", values: ["1"] };
  expect(body.spec?.topologySpreadConstraints?.[0]?.labelSelector).toEqual({ matchExpressions: [mine] });
  expect(
    body.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.[0]?.labelSelector,
  ).toEqual({ matchExpressions: [mine, { key: "team", operator: "NotIn", values: ["a"] }] });
  const [constraint] = topologySpreadConstraints;
  const twice = { ...constraint, labelSelector: { matchExpressions: [{ key: "hash", operator: "Exists" }] } };
  const refused = await call("POST", pods, {
    metadata: { ...metadata, name: "twice" },
    spec: { ...spec, topologySpreadConstraints: [twice] },
  });
  expect(refused.code).toBe(422);
});
