import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readObjects, rememberConfig } from "./running-session.ts";

let root: string;
let cluster: TestCluster;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "read-objects-"));
  cluster = await startTestCluster();
  mkdirSync(join(root, ".tsbuilder/dev"), { recursive: true });
  writeFileSync(join(root, ".tsbuilder/dev/kubeconfig"), JSON.stringify(cluster.kubeconfig));
  rememberConfig(join(root, ".tsbuilder/dev/kubeconfig"));
  const data = { password: "aHVudGVyMg==" };
  const annotations = {
    "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify({ data }),
    team: "a",
  };
  await cluster.install(
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "login", namespace: "default", annotations },
      data,
    },
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "one", namespace: "default", labels: { a: "b" } },
    },
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "two", namespace: "default" } },
  );
});

afterAll(async () => {
  await cluster.stop();
  rmSync(root, { recursive: true });
});

const names = (objects: readonly object[]) =>
  objects.map((object) => (object as { metadata: { name: string } }).metadata.name);

test("finds objects by kind, plural and group, by name and by labels", async () => {
  const namespace = "default";
  expect(names(await readObjects(root, { kind: "ConfigMap", namespace }))).toEqual(["one", "two"]);
  expect(names(await readObjects(root, { kind: "configmaps", labels: "a=b" }))).toEqual(["one"]);
  expect(names(await readObjects(root, { kind: "configmap", namespace, name: "two" }))).toEqual(["two"]);
  expect(await readObjects(root, { kind: "configmap", namespace, name: "three" })).toEqual([]);
  expect(
    names(await readObjects(root, { kind: "clusterroles.rbac.authorization.k8s.io", name: "edit" })),
  ).toEqual(["edit"]);
  await expect(readObjects(root, { kind: "deployments.example.com" })).rejects.toMatchObject({
    code: "NOT_FOUND",
  });
});

test("shows which keys a Secret has, and nothing of what they hold", async () => {
  const [secret] = await readObjects(root, { kind: "secret", namespace: "default", name: "login" });
  expect(secret).toMatchObject({
    metadata: { annotations: { team: "a" } },
    data: { password: "(not shown)" },
    type: "Opaque",
  });
  expect(JSON.stringify(await readObjects(root, { kind: "secrets" }))).not.toContain("aHVudGVyMg");
});

test("says where no session runs", async () => {
  await expect(readObjects(tmpdir(), { kind: "pods" })).rejects.toMatchObject({
    code: "CLUSTER_UNREACHABLE",
  });
});

test("neither runs a program of a kubeconfig that came with a clone, nor asks its server", async () => {
  const clone = mkdtempSync(join(tmpdir(), "read-objects-"));
  try {
    mkdirSync(join(clone, ".tsbuilder/dev"), { recursive: true });
    const planted = {
      ...cluster.kubeconfig,
      users: cluster.kubeconfig.users.map(({ name }) => ({
        name,
        user: {
          exec: {
            apiVersion: "client.authentication.k8s.io/v1",
            command: process.execPath,
            args: ["-e", `require("node:fs").writeFileSync(${JSON.stringify(join(clone, "ran"))}, "")`],
          },
        },
      })),
    };
    for (const text of [JSON.stringify(planted), "apiVersion: v1\nkind: Config\n", "{"]) {
      writeFileSync(join(clone, ".tsbuilder/dev/kubeconfig"), text);
      await expect(readObjects(clone, { kind: "pods" })).rejects.toMatchObject({
        code: "CLUSTER_UNREACHABLE",
      });
    }
    expect(existsSync(join(clone, "ran"))).toBe(false);
  } finally {
    rmSync(clone, { recursive: true });
  }
});
