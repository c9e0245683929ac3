import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadIntoNodes } from "./node-images.ts";

// What is refused; that images reach nodes is tested in e2e/oracle/real/node.

let cluster: TestCluster;
let archive: string;
let admin: string;
beforeAll(async () => {
  cluster = await startTestCluster();
  admin = await cluster.kubeconfigFile();
  archive = join(admin, "../image.tar");
  // More than one socket holds, so that the server responds before it has read all.
  writeFileSync(archive, Buffer.alloc(8 * 2 ** 20));
});
afterAll(() => cluster.stop());

test("a cluster without nodes takes no images", async () => {
  await expect(loadIntoNodes(admin, archive)).rejects.toMatchObject({
    code: "NOT_FOUND",
    message: `"${archive}" was not loaded: this cluster has no nodes with containers`,
    hint: expect.stringContaining("--nodes 1") as string,
  });
});

test("only an administrator may load images", async () => {
  const alice = await cluster.kubeconfigFile(cluster.addUser("alice"));
  await expect(loadIntoNodes(alice, archive)).rejects.toMatchObject({
    code: "REFUSED",
    message: expect.stringContaining('User "alice" cannot post path "/tsbuilder.dev/images"') as string,
  });
});

test("a missing archive and a cluster that is gone are told apart", async () => {
  await expect(loadIntoNodes(admin, `${archive}.gz`)).rejects.toMatchObject({
    code: "NOT_FOUND",
    message: expect.stringContaining("no such file") as string,
  });
  const gone = await startTestCluster();
  const kubeconfig = await cluster.kubeconfigFile(gone.kubeconfig);
  await gone.stop();
  await expect(loadIntoNodes(kubeconfig, archive)).rejects.toMatchObject({ code: "CLUSTER_UNREACHABLE" });
});
