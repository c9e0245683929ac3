import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Pod, PodSpec } from "@tsbuilder/apimachinery/k8s/core/v1";
import type { Status } from "@tsbuilder/apimachinery/meta";
import { startTestCluster, type TestCluster } from "../testing/index.ts";
import { send } from "../testing/send.ts";

const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
let cluster: TestCluster;

beforeAll(async () => {
  cluster = await startTestCluster({ controllers: ["serviceaccount"] });
});
afterAll(() => cluster.stop());

const post = (path: string, body: object) => send(cluster.kubeconfig, { method: "POST", path, body });

const account = (name: string, fields: object, metadata: object = {}) =>
  cluster.install({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name, ...metadata }, ...fields });

async function postPod(spec: object = {}, metadata: object = { generateName: "p-" }, namespace = "default") {
  const body = { metadata, spec: { containers: [{ name: "c", image: "i" }], ...spec } };
  return post(`/api/v1/namespaces/${namespace}/pods`, body);
}

async function createPod(spec?: object, metadata?: object, namespace?: string): Promise<PodSpec> {
  const { code, body, text } = await postPod(spec, metadata, namespace);
  expect({ code, text }).toMatchObject({ code: 201 });
  return (body as Pod).spec!;
}

async function refusalOf(spec: object, metadata?: object, namespace?: string): Promise<unknown> {
  const { code, body } = await postPod(spec, metadata, namespace);
  return { code, message: (body as Status).message };
}

describe("the plugin ServiceAccount", () => {
  it("gives a pod of a new namespace the account default, with its token in every container", async () => {
    await post("/api/v1/namespaces", { metadata: { name: "new" } });
    const container = { name: "init", image: "i", volumeMounts: [{ name: "own", mountPath: "/own" }] };
    const volumes = [{ name: "own", emptyDir: {} }];
    const spec = await createPod({ initContainers: [container], volumes }, undefined, "new");
    const name = spec.volumes![1]!.name;
    expect(name).toMatch(/^kube-api-access-[a-z0-9]{5}$/);
    const mount = { name, readOnly: true, mountPath };
    expect(spec).toMatchObject({
      serviceAccountName: "default",
      serviceAccount: "default",
      containers: [{ volumeMounts: [mount] }],
      initContainers: [{ volumeMounts: [{ name: "own" }, mount] }],
    });
    expect(spec.volumes![1]).toEqual({
      name,
      projected: {
        defaultMode: 420,
        sources: [
          { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
          { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
          {
            downwardAPI: {
              items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
            },
          },
        ],
      },
    });
  });

  it("mounts no token where pod or account don't want one, or something else is mounted there", async () => {
    await account("closed", { automountServiceAccountToken: false });
    expect(await createPod({ automountServiceAccountToken: false })).not.toHaveProperty("volumes");
    expect(await createPod({ serviceAccountName: "closed" })).not.toHaveProperty("volumes");
    const open = { serviceAccountName: "closed", automountServiceAccountToken: true };
    expect((await createPod(open)).volumes).toHaveLength(1);
    const own = { name: "own", mountPath };
    const containers = [{ name: "c", image: "i", volumeMounts: [own] }];
    const mine = await createPod({ containers, volumes: [{ name: "own", emptyDir: {} }] });
    expect(mine).toMatchObject({ volumes: [{ name: "own" }], containers: [{ volumeMounts: [own] }] });
    expect(mine.volumes).toHaveLength(1);
  });

  it("takes a volume that already has the name of a token's volume", async () => {
    const volumes = [{ name: "kube-api-access-mine", emptyDir: {} }];
    const spec = await createPod({ volumes });
    expect(spec.volumes).toEqual(volumes);
    expect(spec.containers[0]!.volumeMounts).toEqual([
      { name: "kube-api-access-mine", readOnly: true, mountPath },
    ]);
  });

  it("adds the account's imagePullSecrets to a pod without its own", async () => {
    await account("puller", { imagePullSecrets: [{ name: "registry" }] });
    const serviceAccountName = "puller";
    expect((await createPod({ serviceAccountName })).imagePullSecrets).toEqual([{ name: "registry" }]);
    const imagePullSecrets = [{ name: "own" }];
    expect((await createPod({ serviceAccountName, imagePullSecrets })).imagePullSecrets).toEqual(
      imagePullSecrets,
    );
  });

  it("refuses an unknown account, and leaves an unknown namespace to NamespaceLifecycle", async () => {
    const unknown = { serviceAccountName: "nobody" };
    const why = 'error looking up service account default/nobody: serviceaccount "nobody" not found';
    expect(await refusalOf(unknown, { name: "a" })).toEqual({
      code: 403,
      message: `pods "a" is forbidden: ${why}`,
    });
    expect(await refusalOf(unknown, { generateName: "a-" })).toEqual({
      code: 403,
      message: `pods "a-" is forbidden: ${why}`,
    });
    expect(await refusalOf(unknown, { name: "a" }, "nowhere")).toEqual({
      code: 404,
      message: 'namespaces "nowhere" not found',
    });
  });

  it("lets an account limit the Secrets of its pods", async () => {
    const annotations = { "kubernetes.io/enforce-mountable-secrets": "true" };
    await account("strict", { secrets: [{ name: "mine" }] }, { annotations });
    const use = (spec: object) => refusalOf({ serviceAccountName: "strict", ...spec }, { name: "a" });
    const reason = "is not allowed because service account strict does not reference that";
    const message = (why: string) => ({ code: 403, message: `pods "a" is forbidden: ${why}` });
    const volume = (secretName: string) => ({ volumes: [{ name: "v", secret: { secretName } }] });
    expect(await use(volume("other"))).toEqual(
      message(`volume with secret.secretName="other" ${reason} secret`),
    );
    const env = [{ name: "E", valueFrom: { secretKeyRef: { name: "other", key: "k" } } }];
    expect(await use({ containers: [{ name: "c", image: "i", env }] })).toEqual(
      message(`container c with envVar E referencing secret.secretName="other" ${reason} secret`),
    );
    expect(await use({ imagePullSecrets: [{ name: "other" }] })).toEqual(
      message(`imagePullSecrets[0].name="other" ${reason} imagePullSecret`),
    );
    await createPod({ serviceAccountName: "strict", ...volume("mine") });
  });

  it("doesn't change mirror pods, and refuses those that use an account or Secrets", async () => {
    const annotations = { "kubernetes.io/config.mirror": "x" };
    const mirror = (name: string) => ({ name, annotations });
    const spec = await createPod({ nodeName: "n" }, mirror("plain"));
    expect([spec.serviceAccountName, spec.volumes]).toEqual([undefined, undefined]);
    const refused = (why: string) => ({
      code: 403,
      message: `pods "m" is forbidden: a mirror pod may not ${why}`,
    });
    const nodeName = "n";
    expect(await refusalOf({ nodeName, serviceAccountName: "default" }, mirror("m"))).toEqual(
      refused("reference service accounts"),
    );
    const secret = { name: "s", secret: { secretName: "s" } };
    expect(await refusalOf({ nodeName, volumes: [secret] }, mirror("m"))).toEqual(
      refused("reference secrets"),
    );
    const sources = [{ serviceAccountToken: { path: "token" } }];
    const token = { name: "t", projected: { sources } };
    expect(await refusalOf({ nodeName, volumes: [token] }, mirror("m"))).toEqual(
      refused("use ServiceAccountToken volume projections"),
    );
  });
});

describe("a cluster without the plugin ServiceAccount", () => {
  it.each([
    ["without the controller of accounts", {}],
    ["by option", { controllers: ["serviceaccount"], disableAdmissionPlugins: ["ServiceAccount"] }],
  ] as const)("leaves pods as they are: %s", async (_, options) => {
    const plain = await startTestCluster(options);
    const body = { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } };
    const path = "/api/v1/namespaces/default/pods";
    const { body: pod } = await send(plain.kubeconfig, { method: "POST", path, body });
    await plain.stop();
    expect(pod).not.toHaveProperty("spec.serviceAccountName");
    expect(pod).not.toHaveProperty("spec.volumes");
  });
});
