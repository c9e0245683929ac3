import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { controllerNames } from "@tsbuilder/cluster";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { afterAll, beforeAll, expect, test } from "vitest";

/** The Google Cloud SDK installs several versions of kubectl. */
const sdk = "/usr/lib/google-cloud-sdk/bin";
const versions = ["1.27", "1.29", "1.31", "1.33"].filter((version) =>
  existsSync(join(sdk, `kubectl.${version}`)),
);
if (versions.length === 0) process.stdout.write(`skipped: no kubectl in ${sdk}\n`);

let cluster: TestCluster;
let kubeconfig: string;
const home = mkdtempSync(join(tmpdir(), "kubectl-"));
beforeAll(async () => {
  cluster = await startTestCluster({ controllers: controllerNames });
  kubeconfig = await cluster.kubeconfigFile();
});
afterAll(async () => {
  await cluster.stop();
  rmSync(home, { recursive: true });
});

interface Run {
  readonly code: number;
  readonly out: string;
}

function kubectl(version: string, words: string, input = ""): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn(
      join(sdk, `kubectl.${version}`),
      ["--cache-dir", join(home, version), ...words.split(" ")],
      {
        env: { ...process.env, KUBECONFIG: kubeconfig, HOME: home, KUBECTL_EXTERNAL_DIFF: "diff -u" },
      },
    );
    let out = "";
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (out += chunk.toString()));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? 1, out }));
    child.stdin.end(input);
  });
}

const crd = (group: string) => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.${group}}
spec:
  group: ${group}
  scope: Namespaced
  names: {plural: things, kind: Thing, shortNames: [tg]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}, scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}}
    additionalPrinterColumns: [{name: Replicas, type: integer, jsonPath: .spec.replicas}]
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {replicas: {type: integer, description: how many there are}}}
          status: {type: object, properties: {replicas: {type: integer}}}
`;
const thing = (group: string, replicas: number) => `
apiVersion: ${group}/v1
kind: Thing
metadata: {name: a}
spec: {replicas: ${replicas}}
`;
const configMap = (value: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: conf}\ndata: {k: ${value}}\n`;

test.each(versions)("kubectl %s works as on any cluster", async (version) => {
  const ns = `v${version.replace(".", "-")}`;
  const group = `${ns}.example.com`;
  const run = async (words: string, input?: string) => {
    const { code, out } = await kubectl(version, `-n ${ns} ${words}`, input);
    return `${code} ${out.trim()}`;
  };
  expect(await run(`create namespace ${ns}`)).toBe(`0 namespace/${ns} created`);
  expect(await run("create configmap made --from-literal=a=b")).toBe("0 configmap/made created");
  expect(await run("apply -f -", configMap("v"))).toBe("0 configmap/conf created");
  expect(await run("apply -f -", configMap("v"))).toBe("0 configmap/conf unchanged");
  expect(await run("diff -f -", configMap("w"))).toMatch(/^1 [^]*-  k: v\n\+  k: w/);
  expect(await run("apply --server-side --force-conflicts -f -", configMap("w"))).toBe(
    "0 configmap/conf serverside-applied",
  );
  expect(await run("label configmap conf app=x")).toBe("0 configmap/conf labeled");
  expect(await run("get configmap -l app=x -o name")).toBe("0 configmap/conf");
  expect(await run(`patch configmap conf -p {"data":{"p":"q"}}`)).toBe("0 configmap/conf patched");
  expect(await run("get configmap conf -o jsonpath={.data}")).toBe('0 {"k":"w","p":"q"}');
  expect(await run("create deployment web --image=nginx:1 --replicas=2")).toBe(
    "0 deployment.apps/web created",
  );
  expect(await run("rollout status deployment/web --timeout=60s")).toMatch(/^0 [^]*successfully rolled out/);
  expect(await run("scale deployment/web --replicas=1")).toBe("0 deployment.apps/web scaled");
  expect(await run("set image deployment/web nginx=nginx:2")).toBe("0 deployment.apps/web image updated");
  expect(await run("describe deployment web")).toMatch(/^0 Name: +web/);
  expect(await run("apply -f -", crd(group))).toMatch(/^0 .* created/);
  expect(await run(`wait --for=condition=Established crd/things.${group} --timeout=30s`)).toMatch(
    /^0 .* condition met/,
  );
  expect(await run("apply -f -", thing(group, 2))).toMatch(/^0 thing.* created/);
  expect(await run(`get things.${group}`)).toMatch(/^0 NAME +REPLICAS\na +2/);
  expect(await run(`scale thing.${group}/a --replicas=5`)).toMatch(/^0 .* scaled/);
  expect(await run(`explain things.spec --api-version=${group}/v1`)).toContain("how many there are");
  expect(await run(`delete thing.${group} a`)).toMatch(/^0 .* deleted/);
  expect(await run("auth can-i create pods --as nobody")).toMatch(/^1 no/);
  expect(await run("api-resources --api-group=apps -o name")).toContain("deployments.apps");
  expect(
    await run("apply -f -", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bad}\ndta: {}\n"),
  ).toMatch(/^1 [^]*unknown field "dta"/);
  expect(await run("delete deployment web")).toMatch(/^0 .* deleted/);
  expect(await run(`delete namespace ${ns} --timeout=60s`)).toMatch(/^0 [^]*deleted$/);
});
