import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "@tsbuilder/apimachinery/port";
import { afterEach, beforeEach, expect, test } from "vitest";
import { send } from "../../cluster/testing/send.ts";
import { startForeground } from "./foreground-cluster.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "foreground-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const start = (stages: string | undefined, port?: number) =>
  startForeground({
    folder,
    kubeconfig: "made/here/kubeconfig",
    port,
    data: undefined,
    controllers: "none",
    stages,
  });

const stage = `
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: { name: ready }
spec:
  resourceRef: { apiGroup: v1, kind: Pod }
  selector:
    matchExpressions: [{ key: .status.phase, operator: In, values: [Pending] }]
  next:
    statusTemplate: |
      phase: Running
      podIP: 10.1.2.3
`;

test("startForeground() applies the Stages of a file, independent of the controllers", async () => {
  writeFileSync(join(folder, "stages.yaml"), stage);
  const cluster = await start("stages.yaml");
  const path = "/api/v1/namespaces/default/pods";
  try {
    const containers = [{ name: "c", image: "i" }];
    const body = { metadata: { name: "p" }, spec: { containers } };
    await send(cluster.kubeconfig, { method: "POST", path, body });
    await expect
      .poll(async () => (await send(cluster.kubeconfig, { method: "GET", path: `${path}/p` })).body)
      .toMatchObject({ status: { phase: "Running", podIP: "10.1.2.3" } });
  } finally {
    await cluster.stop();
  }
});

test("startForeground() sends webhooks that name a Service to the local port behind it", async () => {
  const port = await freePort();
  const cluster = await startForeground({
    folder,
    kubeconfig: "kubeconfig",
    port: undefined,
    data: undefined,
    controllers: "none",
    stages: undefined,
    servicePorts: [`shop/hooks=${port}`],
  });
  try {
    const hooks = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
    await send(cluster.kubeconfig, { method: "POST", path: hooks, body: rejectConfigMaps });
    const path = "/api/v1/namespaces/default/configmaps";
    const { code, text } = await send(cluster.kubeconfig, {
      method: "POST",
      path,
      body: { metadata: { name: "a" } },
    });
    // Nothing listens there.
    expect({ code, text }).toEqual({ code: 500, text: expect.stringContaining(`127.0.0.1:${port}`) });
  } finally {
    await cluster.stop();
  }
});

const rejectConfigMaps = {
  metadata: { name: "hooks" },
  webhooks: [
    {
      name: "hooks.example.com",
      clientConfig: { service: { namespace: "shop", name: "hooks" } },
      rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
    },
  ],
};

test.each([
  ["a file that is not there", undefined, "ENOENT", "--stages"],
  ["a file without stages", "# nothing\n", "contains no Stage", "kwok.x-k8s.io/v1alpha1"],
  ["another kind", "apiVersion: v1\nkind: Pod\n", "expected a kwok.x-k8s.io/v1alpha1 Stage", "spec.next"],
  ["something that is not an object", "- 1\n- 2\n", "expected a kwok.x-k8s.io/v1alpha1 Stage", "spec.next"],
  ["what YAML can't read", "a: [1\n", "must be YAML", "spec.next"],
  ["patches", stage.replace("statusTemplate: |", "patches: |"), "spec.next.patches", "spec.next"],
])("startForeground() refuses %s before anything starts", async (_, text, message, hint) => {
  if (text !== undefined) writeFileSync(join(folder, "stages.yaml"), text);
  await expect(start("stages.yaml")).rejects.toMatchObject({
    name: "TsbuilderError",
    message: expect.stringContaining(message) as string,
    hint: expect.stringContaining(hint) as string,
  });
});

test("startForeground() leaves no cluster behind if it cannot write the kubeconfig", async () => {
  writeFileSync(join(folder, "made"), "a file where a folder should be");
  const port = await freePort();
  await expect(start(undefined, port)).rejects.toMatchObject({
    message: expect.stringContaining("the kubeconfig cannot be written: ") as string,
    hint: expect.stringContaining("--kubeconfig") as string,
  });
  rmSync(join(folder, "made"));
  await (await start(undefined, port)).stop();
  expect(JSON.parse(readFileSync(join(folder, "made/here/kubeconfig"), "utf8"))).toMatchObject({
    clusters: [{ cluster: { server: `https://127.0.0.1:${port}` } }],
  });
});

test.runIf(process.platform === "linux")(
  "startForeground() refuses a folder that cannot be created",
  async () => {
    const options = {
      folder,
      kubeconfig: "kubeconfig",
      port: undefined,
      controllers: "none",
      stages: undefined,
    };
    await expect(startForeground({ ...options, data: "/proc/no/such/folder" })).rejects.toMatchObject({
      message: "the cluster's objects cannot be persisted: /proc/no",
      hint: expect.stringContaining("use a writable folder") as string,
    });
  },
);
