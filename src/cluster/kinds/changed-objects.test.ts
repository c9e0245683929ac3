import { afterAll, beforeAll, expect, test } from "vitest";
import type { Job } from "@tsbuilder/apimachinery/k8s/batch/v1";
import { createCRD } from "../../../e2e/support/cluster/create-crd.ts";
import { type InProcessCluster, startInProcess } from "../start-in-process.ts";

// Rules of updates that the cases of Kubernetes' own tests showed (e2e/oracle/kubernetes-cases).

let cluster: InProcessCluster;

beforeAll(async () => {
  const tokens = { secret: { name: "admin", groups: ["system:masters"] } };
  const onError = (error: unknown): never => {
    throw error;
  };
  cluster = await startInProcess({ tokens, onError });
});
afterAll(() => cluster.stop());

interface Answer {
  readonly status: number;
  readonly causes: readonly string[];
  readonly object: { readonly spec: Record<string, unknown> };
}

async function send(method: string, path: string, body: unknown): Promise<Answer> {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const headers = { authorization: "Bearer secret", "content-type": type };
  const response = await cluster.handle({ method, path, headers, body: JSON.stringify(body) });
  const object = JSON.parse(response.body.toString()) as Answer["object"] & {
    details?: { causes?: ReadonlyArray<{ field: string; message: string }> };
  };
  const causes = (object.details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`);
  return { status: response.status, causes, object };
}

/** Stores an object as another release may have done, whatever is wrong with it. */
async function store(
  resource: string,
  namespace: string,
  name: string,
  change: (object: never) => void,
): Promise<void> {
  const { collection } = cluster.core.registry.all().find(({ plural }) => plural === resource)!;
  const key = namespace === "" ? name : `${namespace}/${name}`;
  const object = structuredClone(collection.get(key)!.object);
  change(object as never);
  cluster.core.store.put(collection, key, object);
}

const pods = "/api/v1/namespaces/default/pods";
const container = { name: "c", image: "i", resources: { requests: { cpu: "1" }, limits: { cpu: "2" } } };

test("a resize changes cpu and memory and nothing else, and keeps the QoS class", async () => {
  const spec = { containers: [container] };
  await send("POST", pods, { metadata: { name: "resized" }, spec });
  const resize = (resources: object) =>
    send("PUT", `${pods}/resized/resize`, {
      metadata: { name: "resized" },
      spec: { containers: [{ ...container, image: "other", resources }] },
    });
  const changed = await resize({ requests: { cpu: "1500m" }, limits: { cpu: "3" } });
  expect(changed.object.spec["containers"]).toMatchObject([
    { image: "i", resources: { requests: { cpu: "1500m" }, limits: { cpu: "3" } } },
  ]);
  expect((await resize({ requests: { cpu: "1" } })).causes).toEqual([
    "spec.containers[0].resources.limits: Forbidden: resource limits cannot be removed",
  ]);
  expect(
    (
      await resize({
        requests: { cpu: "1", "example.com/gpu": "1" },
        limits: { cpu: "2", "example.com/gpu": "1" },
      })
    ).causes,
  ).toEqual(["spec: Forbidden: only cpu and memory resources are mutable"]);
  expect(
    (await resize({ requests: { cpu: "2", memory: "1Gi" }, limits: { cpu: "2", memory: "1Gi" } })).causes,
  ).toEqual(['spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing']);
});

test("the resources of a pod are completed by those that its containers need together", async () => {
  const amounts = (cpu: string) => ({ resources: { requests: { cpu }, limits: { "hugepages-2Mi": "2Mi" } } });
  const sidecar = { name: "s", image: "i", restartPolicy: "Always", ...amounts("2") };
  const initContainers = [sidecar, { name: "a", image: "i", ...amounts("3") }];
  const containers = [{ name: "c", image: "i", ...amounts("1") }];
  const pod = (name: string, resources: object) =>
    send("POST", pods, { metadata: { name }, spec: { containers, initContainers, resources } });
  const { object } = await pod("completed", { limits: { memory: "1Gi" } });
  // The init container runs beside the sidecar, and needs more than the container does.
  expect(object.spec["resources"]).toEqual({
    limits: { memory: "1Gi", "hugepages-2Mi": "4Mi" },
    requests: { memory: "1Gi", "hugepages-2Mi": "4Mi", cpu: "5" },
  });
  expect((await pod("small", { requests: { cpu: "4" } })).causes).toEqual([
    'spec.resources.requests[cpu]: Invalid value: "4": must be greater than or equal to aggregate container requests of 5',
  ]);
  const pages = { "hugepages-2Mi": "2Mi" };
  expect((await pod("narrow", { limits: { cpu: "5", ...pages }, requests: pages })).causes).toEqual([
    'spec.resources.requests[hugepages-2Mi]: Invalid value: "2Mi": must be greater than or equal to aggregate container requests of 4Mi',
    'spec.resources.limits[hugepages-2Mi]: Invalid value: "2Mi": must be greater than or equal to aggregate container limits of 4Mi',
  ]);
});

test("a pod's status names only claims of its node that the pod refers to", async () => {
  await send("POST", pods, { metadata: { name: "claiming" }, spec: { containers: [container] } });
  const nodeAllocatableResourceClaimStatuses = [{ resourceClaimName: "other" }];
  await store("pods", "default", "claiming", ({ status }: { status: object }) => {
    Object.assign(status, { nodeAllocatableResourceClaimStatuses });
  });
  const status = { nodeAllocatableResourceClaimStatuses };
  expect((await send("PATCH", `${pods}/claiming/status`, { status })).causes).toEqual([
    'status.nodeAllocatableResourceClaimStatuses[0].resourceClaimName: Invalid value: "other": no mapping found in pod reference',
  ]);
});

test("containers of kubectl debug are added, and stay as they are", async () => {
  const debug = (name: string, image: string) => ({ name, image, terminationMessagePolicy: "File" });
  await send("POST", pods, { metadata: { name: "debugged" }, spec: { containers: [container] } });
  const put = (ephemeralContainers: object[]) =>
    send("PUT", `${pods}/debugged/ephemeralcontainers`, {
      metadata: { name: "debugged" },
      spec: { containers: [container], ephemeralContainers },
    });
  expect(await put([debug("d", "i")])).toMatchObject({ status: 200 });
  expect((await put([])).causes).toEqual([
    'spec.ephemeralContainers: Forbidden: existing ephemeral containers "d" may not be removed\n',
  ]);
});

test("what an older release stored may stay, and may not come anew", async () => {
  const ingresses = "/apis/networking.k8s.io/v1/namespaces/default/ingresses";
  const defaultBackend = { service: { name: "web", port: { number: 80 } } };
  const withSecret = (name: string, secretName: string) => ({
    metadata: { name },
    spec: { defaultBackend, tls: [{ secretName }] },
  });
  await send("POST", ingresses, withSecret("old", "valid"));
  const refused = await send("PUT", `${ingresses}/old`, withSecret("old", "not valid"));
  expect(refused.causes[0]).toContain("spec.tls[0].secretName: Invalid value");
  await store("ingresses", "default", "old", ({ spec }: { spec: { tls: [{ secretName: string }] } }) => {
    spec.tls[0].secretName = "not valid";
  });
  expect(await send("PUT", `${ingresses}/old`, withSecret("old", "nor this"))).toMatchObject({ status: 200 });
});

test("a CRD keeps more selectable fields than are allowed, but not in another list", async () => {
  const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const names = Array.from({ length: 10 }, (_, index) => `f${index}`);
  const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
  const selecting = (count: number) => {
    const selectableFields = names.slice(0, count).map((name) => ({ jsonPath: `.${name}` }));
    return createCRD({ plural: "olds", kind: "Old" }, { properties, selectableFields });
  };
  await send("POST", crds, selecting(8));
  expect((await send("PATCH", `${crds}/olds.example.com`, selecting(9))).causes).toEqual([
    "spec.selectableFields: Too many: 9: must have at most 8 items",
  ]);
  await store("customresourcedefinitions", "", "olds.example.com", (object: { spec: object }) => {
    object.spec = selecting(9).spec;
  });
  expect(await send("PATCH", `${crds}/olds.example.com`, selecting(9))).toMatchObject({ status: 200 });
  expect(await send("PATCH", `${crds}/olds.example.com`, selecting(10))).toMatchObject({ status: 422 });
});

test("a CRD that has versions without a schema keeps them unless it serves one that prunes all", async () => {
  const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const patch = (spec: object) => send("PATCH", `${crds}/wholes.example.com`, { spec });
  const crd = createCRD({ plural: "wholes", kind: "Whole" }, {});
  const { schema: _, ...version } = crd.spec.versions[0]!;
  await send("POST", crds, crd);
  await store("customresourcedefinitions", "", "wholes.example.com", (object: { spec: object }) => {
    object.spec = { ...object.spec, versions: [version], preserveUnknownFields: true };
  });
  const spec = { ...crd.spec, versions: [version] };
  expect(await patch({ ...spec, preserveUnknownFields: true })).toMatchObject({ status: 200 });
  expect((await patch({ ...spec, preserveUnknownFields: false })).causes).toEqual([
    "spec.versions[0].schema.openAPIV3Schema: Required value: because otherwise all fields are pruned",
  ]);
});

test("a CRD that preserves unknown fields keeps a schema that isn't structural", async () => {
  const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const patch = (crd: object) => send("PATCH", `${crds}/looses.example.com`, crd);
  const crd = createCRD({ plural: "looses", kind: "Loose" }, { properties: { a: { type: "object" } } });
  const loose = (description: string) => {
    const { schema: _, ...version } = crd.spec.versions[0]!;
    const schema = { openAPIV3Schema: { type: "object", properties: { a: { description } } } };
    return { spec: { ...crd.spec, versions: [{ ...version, schema }], preserveUnknownFields: true } };
  };
  await send("POST", crds, crd);
  expect((await patch(loose("new"))).causes).toContain(
    "spec.validation.openAPIV3Schema.properties[a].type: Required value: must not be empty for specified object fields",
  );
  await store("customresourcedefinitions", "", "looses.example.com", (object: { spec: object }) => {
    object.spec = loose("old").spec;
  });
  expect(await patch(loose("changed"))).toMatchObject({ status: 200 });
  expect((await patch({ spec: { preserveUnknownFields: false } })).status).toBe(422);
});

test("a device of a slice keeps a taint that is unknown, and another device does not get it", async () => {
  const slices = "/apis/resource.k8s.io/v1/resourceslices";
  const taints = [{ key: "x.io/t", effect: "Later" }];
  const slice = (...devices: object[]) => ({
    metadata: { name: "old" },
    spec: { driver: "x.io", nodeName: "n", pool: { name: "p", resourceSliceCount: 1 }, devices },
  });
  await send("POST", slices, slice({ name: "a" }));
  const { causes } = await send("PUT", `${slices}/old`, slice({ name: "a", taints }));
  expect(causes[0]).toContain("spec.devices[0].taints[0].effect: Unsupported value");
  await store("resourceslices", "", "old", ({ spec }: { spec: { devices: object[] } }) => {
    spec.devices = [{ name: "a", taints }];
  });
  const both = [
    { name: "b", taints },
    { name: "a", taints },
  ] as const;
  expect(await send("PUT", `${slices}/old`, slice(both[1]))).toMatchObject({ status: 200 });
  expect((await send("PUT", `${slices}/old`, slice(...both))).causes).toHaveLength(1);
});

test("a StatefulSet that was stored with Recreate keeps it", async () => {
  const sets = "/apis/apps/v1/namespaces/default/statefulsets";
  const template = { metadata: { labels: { a: "b" } }, spec: { containers: [container] } };
  const spec = { replicas: 0, selector: { matchLabels: { a: "b" } }, template };
  await send("POST", sets, { metadata: { name: "old" }, spec });
  const patch = () =>
    send("PATCH", `${sets}/old`, { spec: { updateStrategy: { type: "Recreate", rollingUpdate: null } } });
  expect((await patch()).causes.join()).toContain("must be 'RollingUpdate' or 'OnDelete'");
  await store("statefulsets", "default", "old", (object: { spec: object }) => {
    Object.assign(object.spec, { updateStrategy: { type: "Recreate" } });
  });
  expect(await patch()).toMatchObject({ status: 200 });
});

test("a selector that a ReplicationController can't express stays", async () => {
  const path = "/api/v1/namespaces/default/replicationcontrollers";
  const controller = (selector: object) => {
    const annotations = { "non-convertible.kubernetes.io/spec.selector": "a in (b)" };
    const labels = { a: "b", c: "d" };
    const template = { metadata: { labels }, spec: { containers: [container] } };
    return { metadata: { name: "old", annotations }, spec: { replicas: 0, selector, template } };
  };
  await send("POST", path, controller({ a: "b" }));
  expect((await send("PUT", `${path}/old`, controller({ c: "d" }))).causes).toEqual([
    'spec.selector: Invalid value: {"c":"d"}: cannot update non-convertible selector',
  ]);
  expect(await send("PUT", `${path}/old`, controller({ a: "b" }))).toMatchObject({ status: 200 });
});

test("a Job whose labels had no prefix when it was stored needs none", async () => {
  const path = "/apis/batch/v1/namespaces/default/jobs";
  const template = { spec: { restartPolicy: "Never", containers: [container] } };
  const created = await send("POST", path, { metadata: { name: "old" }, spec: { template } });
  const withoutPrefixes = (job: Job) => {
    const labels = job.spec!.template.metadata!.labels!;
    for (const key of Object.keys(labels)) if (key.includes("/")) delete labels[key];
    job.spec!.selector = { matchLabels: { ...labels } };
  };
  const put = (job: object) => send("PUT", `${path}/old`, { ...job, metadata: { name: "old" } });
  const job = structuredClone(created.object) as unknown as Job;
  withoutPrefixes(job);
  expect((await put(job)).causes.join()).toContain("Required value: must be");
  await store("jobs", "default", "old", withoutPrefixes);
  expect(await put(job)).toMatchObject({ status: 200 });
});

test("a Job's labels that contradict the generated ones are refused", async () => {
  const template = {
    metadata: { labels: { "controller-uid": "mine" } },
    spec: { restartPolicy: "Never", containers: [container] },
  };
  const path = "/apis/batch/v1/namespaces/default/jobs";
  const { causes } = await send("POST", path, { metadata: { name: "a" }, spec: { template } });
  expect(causes[0]).toContain("spec.template.metadata.labels[controller-uid]: Invalid value");
});

test("a gated pod's node affinity may only be narrowed", async () => {
  const affinity = (...matchExpressions: object[]) => ({
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] },
    },
  });
  const [zone, size] = ["zone", "size"].map((key) => ({ key, operator: "In", values: ["a"] }));
  const spec = { containers: [container], schedulingGates: [{ name: "x.io/g" }], affinity: affinity(zone!) };
  await send("POST", pods, { metadata: { name: "gated" }, spec });
  const patch = (changed: object) => send("PATCH", `${pods}/gated`, { spec: { affinity: changed } });
  expect(await patch(affinity(zone!, size!))).toMatchObject({ status: 200 });
  expect((await patch(affinity(size!))).causes[0]).toContain("only additions are allowed");
});

test("the status of a claim names devices that are allocated to it", async () => {
  const path = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
  const requests = [{ name: "gpu", exactly: { deviceClassName: "gpu" } }];
  const object = { metadata: { name: "claim" }, spec: { devices: { requests } } };
  await send("POST", path, object);
  const results = [{ request: "gpu", driver: "x.io", pool: "p", device: "d" }];
  const put = (status: object) => send("PUT", `${path}/claim/status`, { ...object, status });
  expect((await put({ devices: [{ driver: "x.io", pool: "p", device: "d" }] })).causes).toEqual([
    'status.devices[0]: Invalid value: {"Driver":"x.io","Pool":"p","Device":"d","ShareID":""}: must be an allocated device in the claim',
  ]);
  expect(await put({ allocation: { devices: { results } } })).toMatchObject({ status: 200 });
  expect((await put({ reservedFor: [{ resource: "pods", name: "a", uid: "1" }] })).causes).toEqual([
    "status.reservedFor: Forbidden: may not be specified when `allocated` is not set",
  ]);
});

test("a pod of Windows has none of Linux's settings, and a valid user", async () => {
  const securityContext = { runAsUser: 1, windowsOptions: { runAsUserName: "a\\b\\c" } };
  const spec = { os: { name: "windows" }, containers: [{ ...container, securityContext }] };
  const { causes } = await send("POST", pods, { metadata: { name: "windows" }, spec });
  expect(causes.map((cause) => cause.replace(/"a.*c"/u, "{name}"))).toEqual([
    "spec.containers[0].securityContext.windowsOptions.runAsUserName: Invalid value: {name}: runAsUserName cannot contain more than one backslash",
    "spec.containers[0].securityContext.runAsUser: Forbidden: cannot be set for a windows pod",
  ]);
});

test("an AppArmor annotation of a new pod becomes a field", async () => {
  const annotations = { "container.apparmor.security.beta.kubernetes.io/c": "localhost/mine" };
  const { object } = await send("POST", pods, {
    metadata: { name: "confined", annotations },
    spec: { containers: [container] },
  });
  expect(object.spec["containers"]).toMatchObject([
    { securityContext: { appArmorProfile: { type: "Localhost", localhostProfile: "mine" } } },
  ]);
});
