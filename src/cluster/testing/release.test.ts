import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createCA } from "@tsbuilder/apimachinery/certs";
import type { Kubeconfig } from "../auth/credentials.ts";
import type { Pod } from "@tsbuilder/apimachinery/k8s/core/v1";
import { eventually } from "../../../e2e/support/eventually.ts";
import { type ReceivedResponse, send } from "./send.ts";

/** What the process of a release says of its clusters. */
interface Served {
  readonly kubeconfig: Kubeconfig;
  readonly another: Kubeconfig;
  readonly errors: readonly string[];
}

const processes: ChildProcess[] = [];

/** Serves a release in a process of its own. */
async function serve(release: string): Promise<Served> {
  const script = new URL("testdata/serve-release.ts", import.meta.url).pathname;
  const args = ["--conditions=@tsbuilder/source", "--import", "tsx", script, release];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  processes.push(child);
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  return JSON.parse(line) as Served;
}

let newest: Served;
let oldest: Served;
beforeAll(async () => {
  [newest, oldest] = await Promise.all([serve("1.37"), serve("v1.35.4")]);
});
afterAll(async () => {
  for (const child of processes) {
    child.stdin!.end();
    if (child.exitCode === null) await once(child, "exit");
  }
});

const ask = (kubeconfig: Kubeconfig, path: string) => send(kubeconfig, { method: "GET", path });
const call = (method: string, path: string, body?: unknown, type?: string): Promise<ReceivedResponse> =>
  send(newest.kubeconfig, { method, path, body, ...(type && { headers: { "Content-Type": type } }) });

test("a cluster of 1.37 says so, and serves the kinds of that release", async () => {
  expect((await call("GET", "/version")).body).toMatchObject({
    minor: "37",
    gitVersion: "v1.37.0+tsbuilder",
  });
  const { text } = await call("GET", "/apis/certificates.k8s.io/v1");
  expect(text).toContain('"clustertrustbundles"');
  expect((await call("GET", "/apis/storagemigration.k8s.io/v1/storageversionmigrations")).code).toBe(200);
  expect((await call("GET", "/openapi/v3/apis/apps/v1")).text).toContain('"Recreate"');
});

test("a cluster of 1.35 lacks the kinds and fields of newer releases", async () => {
  const { text } = await ask(oldest.kubeconfig, "/apis/admissionregistration.k8s.io/v1");
  expect(text).toContain('"validatingadmissionpolicies"');
  expect(text).not.toContain('"mutatingadmissionpolicies"');
  const containers = [{ name: "c", image: "i" }];
  const body = { metadata: { name: "a" }, spec: { containers, schedulingGroup: { podGroupName: "g" } } };
  const path = "/api/v1/namespaces/default/pods?fieldValidation=Strict";
  expect((await send(oldest.kubeconfig, { method: "POST", path, body })).text).toContain(
    'unknown field \\"spec.schedulingGroup\\"',
  );
});

test.each([
  [
    "autoscaling/v2/namespaces/default/horizontalpodautoscalers",
    { scaleTargetRef: { kind: "Deployment", apiVersion: "apps/v1", name: "a" }, minReplicas: 0 },
    "spec.maxReplicas: Invalid value: 0: must be greater than 0",
  ],
  [
    "flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations",
    { type: "Limited", limited: { limitResponse: {} } },
    'spec.limited.limitResponse.type: Unsupported value: "": supported values: "Queue", "Reject"',
  ],
  [
    "apps/v1/namespaces/default/daemonsets",
    {
      selector: { matchLabels: { a: "b" } },
      template: {
        metadata: { labels: { a: "b" } },
        spec: { containers: [{ name: "c", image: "i", restartPolicy: "Never", restartPolicyRules: [{}] }] },
      },
    },
    'action: Unsupported value: "": supported values: "Restart"',
  ],
])("1.35 has its own words for what is wrong with %s", async (path, spec, problem) => {
  const body = { metadata: { name: "a" }, spec };
  const { body: answer } = await send(oldest.kubeconfig, { method: "POST", path: `/apis/${path}`, body });
  const { message } = answer as { message: string };
  expect(message).toContain(problem);
  expect(message).not.toContain("RestartAllContainers");
});

test("1.35 validates the metadata of a changed NetworkPolicy as of a new one", async () => {
  const path = "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies";
  const policy = (generateName: string) => ({
    metadata: { name: "a", generateName },
    spec: { podSelector: {} },
  });
  const put = async ({ kubeconfig }: Served) => {
    await send(kubeconfig, { method: "POST", path, body: policy("b") });
    return send(kubeconfig, { method: "PUT", path: `${path}/a`, body: policy("B:") });
  };
  expect((await put(oldest)).text).toContain("metadata.generateName: Invalid value");
  expect(await put(newest)).toMatchObject({ code: 200 });
});

test("all clusters of a process serve one release", async () => {
  expect((await ask(newest.another, "/version")).body).toMatchObject({ minor: "37" });
  expect(newest.errors).toEqual([
    "this process serves Kubernetes 1.37 already: start 1.36 in another one",
    'there is no embedded Kubernetes "1.9": choose one of 1.35, 1.36, 1.37',
  ]);
});

const labels = { app: "x" };
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };

test("StatefulSets of 1.37 have maxUnavailable, and an error for each field that must not change", async () => {
  const path = "/apis/apps/v1/namespaces/default/statefulsets";
  const spec = { serviceName: "a", selector: { matchLabels: labels }, template };
  const created = await call("POST", path, { metadata: { name: "a" }, spec });
  expect(created.body).toMatchObject({
    spec: { updateStrategy: { rollingUpdate: { maxUnavailable: 1, partition: 0 } } },
  });
  const patch = { spec: { serviceName: "b", podManagementPolicy: "Parallel" } };
  const { body } = await call("PATCH", `${path}/a`, patch, "application/merge-patch+json");
  expect((body as { message: string }).message).toBe(
    'StatefulSet.apps "a" is invalid: [spec.serviceName: Invalid value: "b": field is immutable, spec.podManagementPolicy: Invalid value: "Parallel": field is immutable]',
  );
});

/** The pods of a StatefulSet of five, which nobody but the test makes ready. */
class FivePods {
  readonly #name: string;
  readonly #policy: string;
  readonly #maxUnavailable: number | string;

  constructor(name: string, policy: string, maxUnavailable: number | string) {
    this.#name = name;
    this.#policy = policy;
    this.#maxUnavailable = maxUnavailable;
  }

  /** Creates the pods, makes the first ones ready, and begins an update of all but the lowest. */
  async start(ready: number): Promise<void> {
    await call("POST", sets, this.#set("i:1"));
    await eventually(async () => {
      await this.makeReady(ready);
      const count = await this.#readyReplicas();
      if (count !== ready) throw new Error(`${count} pods are ready instead of ${ready}`);
    });
    await call("PATCH", `${sets}/${this.#name}`, this.#set("i:2"), "application/merge-patch+json");
  }

  async makeReady(count = 5): Promise<void> {
    const status = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
    for (const { metadata, status: before } of (await this.#list()).slice(0, count)) {
      const path = `${pods}/${metadata.name}/status`;
      if (!before?.conditions) await call("PATCH", path, { status }, "application/merge-patch+json");
    }
  }

  /** Returns the ordinals of the pods that are updated. */
  async updated(): Promise<string[]> {
    const all = await this.#list();
    return all
      .filter(({ spec }) => spec?.containers[0]?.image === "i:2")
      .map(({ metadata }) => metadata.name!.slice(this.#name.length + 1));
  }

  async #list(): Promise<Pod[]> {
    const { body } = await call("GET", `${pods}?labelSelector=app=${this.#name}`);
    return (body as { items: Pod[] }).items;
  }

  async #readyReplicas(): Promise<number> {
    const { body } = await call("GET", `${sets}/${this.#name}`);
    return (body as { status: { readyReplicas?: number } }).status.readyReplicas ?? 0;
  }

  #set(image: string): object {
    const labels = { app: this.#name };
    const rollingUpdate = { partition: 1, maxUnavailable: this.#maxUnavailable };
    return {
      metadata: { name: this.#name },
      spec: {
        replicas: 5,
        podManagementPolicy: this.#policy,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "c", image }] } },
        updateStrategy: { type: "RollingUpdate", rollingUpdate },
      },
    };
  }
}

const sets = "/apis/apps/v1/namespaces/default/statefulsets";
const pods = "/api/v1/namespaces/default/pods";

test("an update of a StatefulSet replaces as many pods at once as maxUnavailable allows, the highest first", async () => {
  // 50 % of five pods are two, of which the lower one is created first, and the other once it is ready.
  const half = new FivePods("half", "OrderedReady", "50%");
  await half.start(5);
  await eventually(async () => expect(await half.updated()).toEqual(["3"]));
  await half.makeReady();
  await eventually(async () => expect(await half.updated()).toEqual(["3", "4"]));
  await eventually(async () => {
    await half.makeReady();
    expect(await half.updated()).toEqual(["1", "2", "3", "4"]);
  });
});

test("with Parallel, old pods that are not available are replaced beyond maxUnavailable", async () => {
  // The highest of the pods is not ready: it goes at once, and one of the others with it.
  const sick = new FivePods("sick", "Parallel", 2);
  await sick.start(4);
  await eventually(async () => expect(await sick.updated()).toEqual(["3", "4"]));
});

const podNames = {
  podName: "web",
  podUID: "1",
  serviceAccountName: "a",
  serviceAccountUID: "2",
  nodeUID: "3",
};
const projected = (source: object) => {
  const volumes = [{ name: "v", projected: { sources: [source] } }];
  return { metadata: { name: "p" }, spec: { ...template.spec, volumes } };
};

test.each([
  [
    "certificates.k8s.io/v1/clustertrustbundles",
    { metadata: { name: "a" }, spec: { signerName: "example.com/s", trustBundle: "none" } },
    '[metadata.name: Invalid value: "a": ClusterTrustBundle for signerName example.com/s must be named with prefix example.com:s:, spec.trustBundle: Invalid value: "<value omitted>": at least one trust anchor must be provided]',
  ],
  [
    "certificates.k8s.io/v1/clustertrustbundles",
    {
      metadata: { name: "a" },
      spec: { trustBundle: "-----BEGIN KEY-----\nAAAA\n-----END KEY-----\n" },
    },
    'spec.trustBundle: Invalid value: "<value omitted>": entry 0 has bad block type: KEY',
  ],
  [
    "certificates.k8s.io/v1/namespaces/default/podcertificaterequests",
    {
      metadata: { name: "a" },
      spec: {
        signerName: "kubernetes.io/s",
        ...podNames,
        nodeName: "n",
        maxExpirationSeconds: 90_000,
        stubPKCS10Request: "AAAA",
        unverifiedUserAnnotations: { plain: "x" },
      },
    },
    '[spec.unverifiedUserAnnotations: Invalid value: "plain": must be a domain-prefixed key (such as "acme.io/foo"), spec.maxExpirationSeconds: Invalid value: 90000: must be in the range [3600, 86400], spec.stubPKCS10Request: Invalid value: must be a valid PKCS#10 CSR]',
  ],
  [
    "resource.k8s.io/v1/devicetaintrules",
    {
      metadata: { name: "a" },
      spec: { deviceSelector: { driver: "" }, taint: { key: "a", effect: "Sometimes" } },
    },
    '[spec.deviceSelector.driver: Required value, spec.taint.effect: Unsupported value: "Sometimes": supported values: "NoExecute", "NoSchedule", "None"]',
  ],
  [
    "storagemigration.k8s.io/v1/storageversionmigrations",
    { metadata: { name: "a" }, spec: { resource: { group: "apps", resource: "" } } },
    "spec.resource.resource: Required value: resource is required to be set",
  ],
  [
    "admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
    { metadata: { name: "a.static.k8s.io" } },
    'metadata.name: Invalid value: "a.static.k8s.io": names ending with ".static.k8s.io" are reserved for static manifest-based configurations and cannot be managed via the API',
  ],
])("1.37 validates %s", async (path, body, problems) => {
  const { code, body: answer } = await call("POST", `/apis/${path}`, body);
  expect(code).toBe(422);
  expect((answer as { message: string }).message).toMatch(/is invalid: /u);
  expect((answer as { message: string }).message.split(" is invalid: ")[1]).toBe(problems);
});

test.each([
  [
    { podCertificate: { signerName: "example.com/s", keyType: "RSA", keyPath: "/a" } },
    '[podCertificate.keyType: Unsupported value: "RSA": supported values: "RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519", podCertificate.keyPath: Invalid value: "/a": must be a relative path]',
  ],
  [
    { podCertificate: { signerName: "example.com/s", keyType: "ED25519" } },
    "podCertificate: Required value: specify at least one of credentialBundlePath, keyPath, and certificateChainPath",
  ],
  [
    { clusterTrustBundle: { path: "ca.pem" } },
    "clusterTrustBundle: Required value: either name or signerName must be specified",
  ],
])("1.37 validates what is projected into pods: %j", async (source, problems) => {
  const { code, body } = await call("POST", "/api/v1/namespaces/default/pods", projected(source));
  expect(code).toBe(422);
  const [, found = ""] = (body as { message: string }).message.split(" is invalid: ");
  expect(found.replaceAll("spec.volumes[0].projected.sources[0].", "")).toBe(problems);
});

test("who writes a signer's trust bundles, or answers pods' requests for certificates, needs its permission", async () => {
  const access = "/apis/rbac.authorization.k8s.io/v1";
  const apiGroups = ["certificates.k8s.io"];
  const resources = ["clustertrustbundles", "podcertificaterequests", "podcertificaterequests/status"];
  const rules = [{ apiGroups, resources, verbs: ["create", "update", "patch"] }];
  await call("POST", `${access}/clusterroles`, { metadata: { name: "writer" }, rules });
  await call("POST", `${access}/clusterrolebindings`, {
    metadata: { name: "writer" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "writer" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "jane" }],
  });
  const asJane = (method: string, path: string, body: object): Promise<ReceivedResponse> => {
    const headers = { "Impersonate-User": "jane", "Content-Type": "application/merge-patch+json" };
    const type = method === "PATCH" ? headers : { "Impersonate-User": "jane" };
    return send(newest.kubeconfig, { method, path, body, headers: type });
  };
  const bundles = "/apis/certificates.k8s.io/v1/clustertrustbundles";
  const { cert: trustBundle } = createCA({ commonName: "a" });
  const bundle = {
    metadata: { name: "example.com:s:a" },
    spec: { signerName: "example.com/s", trustBundle },
  };
  const refused = await asJane("POST", bundles, bundle);
  expect(refused).toMatchObject({ code: 403 });
  expect(refused.text).toContain('user not permitted to attest for signerName \\"example.com/s\\"');
  expect(await asJane("POST", bundles, { metadata: { name: "free" }, spec: { trustBundle } })).toMatchObject({
    code: 201,
  });

  const requests = "/apis/certificates.k8s.io/v1/namespaces/default/podcertificaterequests";
  const stub = execFileSync(
    "openssl",
    ["req", "-new", "-newkey", "ed25519", "-nodes", "-keyout", "/dev/null", "-subj", "/", "-outform", "der"],
    { stdio: "pipe" },
  );
  const spec = {
    signerName: "example.com/s",
    ...podNames,
    nodeName: "n",
    stubPKCS10Request: stub.toString("base64"),
  };
  expect(await call("POST", requests, { metadata: { name: "a" }, spec })).toMatchObject({
    code: 201,
    body: { spec: { maxExpirationSeconds: 86_400 } },
  });
  const now = new Date().toISOString();
  const conditions = [{ type: "Denied", status: "True", reason: "No", message: "", lastTransitionTime: now }];
  const denied = await asJane("PATCH", `${requests}/a/status`, { status: { conditions } });
  expect(denied).toMatchObject({ code: 422 });
  expect(denied.text).toContain('is not permitted to \\"sign\\" for signer');
  const patched = await call(
    "PATCH",
    `${requests}/a/status`,
    { status: { conditions } },
    "application/merge-patch+json",
  );
  expect(patched).toMatchObject({ code: 200 });
  const again = await call(
    "PATCH",
    `${requests}/a/status`,
    { status: { certificateChain: "x" } },
    "application/merge-patch+json",
  );
  expect(again.text).toContain("immutable after PodCertificateRequest is issued, denied, or failed");
});

test("autoscalers of 1.37 may scale to zero and count their generations", async () => {
  const spec = {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
    minReplicas: 0,
    maxReplicas: 1,
    metrics: [
      {
        type: "External",
        external: { metric: { name: "m" }, target: { type: "Value", value: "1" } },
      },
    ],
  };
  const path = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
  const created = await call("POST", path, { metadata: { name: "a" }, spec });
  expect(created).toMatchObject({
    code: 201,
    body: { metadata: { generation: 1 }, spec: { minReplicas: 0 } },
  });
  const status = { conditions: [{ type: "AbleToScale", status: "True", observedGeneration: -1 }] };
  expect(
    (await call("PATCH", `${path}/a/status`, { status }, "application/merge-patch+json")).text,
  ).toContain(
    "status.conditions[0].observedGeneration: Invalid value: -1: must be greater than or equal to 0",
  );
});

test("a resize of 1.37 completes the resources of the pod, which limits itself as its containers do", async () => {
  const sized = (cpu: string, resources: object) => {
    const containers = [{ name: "c", image: "i", resources: { limits: { cpu } } }];
    return { metadata: { name: "sized" }, spec: { containers, resources } };
  };
  const requests = { memory: "1Gi" };
  const created = await call("POST", pods, sized("1", { requests }));
  expect(created.body).toMatchObject({
    spec: { resources: { requests: { ...requests, cpu: "1" }, limits: { cpu: "1" } } },
  });
  const resized = await call("PUT", `${pods}/sized/resize`, sized("2", { requests, limits: { cpu: "3" } }));
  expect(resized.body).toMatchObject({
    spec: { resources: { requests: { ...requests, cpu: "2" }, limits: { cpu: "3" } } },
  });
});

test("a resize of 1.37 keeps the claims of a container", async () => {
  const resize = (name: string) => {
    const resources = { requests: { cpu: "2" }, claims: [{ name }] };
    const resourceClaims = ["gpu", "nic"].map((each) => ({ name: each, resourceClaimName: each }));
    return {
      metadata: { name: "claims" },
      spec: { containers: [{ name: "c", image: "i", resources }], resourceClaims },
    };
  };
  await call("POST", pods, resize("gpu"));
  expect(await call("PUT", `${pods}/claims/resize`, resize("gpu"))).toMatchObject({ code: 200 });
  expect((await call("PUT", `${pods}/claims/resize`, resize("nic"))).text).toContain(
    "only cpu and memory resources are mutable",
  );
});

test("errors of 1.37 name the owner reference, and are there once; patches must be JSON", async () => {
  const path = "/api/v1/namespaces/default/configmaps";
  const metadata = { name: "a", labels: { "A b": "1" }, ownerReferences: [{}] };
  const refused = await call("POST", path, { metadata });
  const { message } = refused.body as { message: string };
  expect(message.match(/metadata\.labels: /gu)).toHaveLength(1);
  expect(message).toContain("metadata.ownerReferences[0].apiVersion: Required value: must not be empty");
  expect((await call("PATCH", `${path}/none`, "{", "application/merge-patch+json")).body).toMatchObject({
    code: 400,
    message: "invalid JSON patch",
  });
});
