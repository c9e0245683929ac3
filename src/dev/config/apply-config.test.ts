import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { createClient, loadConfig } from "@tsbuilder/runtime";
import { expect, onTestFinished, test } from "vitest";
import { applyConfig } from "./apply-config.ts";

const apiVersion = "shop.example.com/v1";
const name = "carts.shop.example.com";

async function session() {
  const project = mkdtempSync(join(tmpdir(), "apply-config-"));
  onTestFinished(() => rmSync(project, { recursive: true }));
  const folder = join(project, "config/crd/bases");
  mkdirSync(folder, { recursive: true });
  const cluster = await startTestCluster();
  onTestFinished(() => cluster.stop());
  const kubeconfig = await cluster.kubeconfigFile();
  const client = createClient(await loadConfig({ kubeconfig, env: {} }));
  onTestFinished(() => client.close());
  const replaced: string[] = [];
  const place = { namespace: "shop-system", webhooks: undefined };
  return {
    client,
    replaced,
    write: (scope: string, kind: string): void => {
      const schema = { openAPIV3Schema: { type: "object" } };
      const spec = {
        group: "shop.example.com",
        scope,
        names: { plural: "carts", kind },
        versions: [{ name: "v1", served: true, storage: true, schema }],
      };
      const crd = {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        metadata: { name },
        spec,
      };
      writeFileSync(join(folder, "carts.yaml"), JSON.stringify(crd));
    },
    apply: () => applyConfig(project, client, { ...place, onReplaced: (each) => replaced.push(each) }),
    applyToOthers: () => applyConfig(project, client, place),
  };
}

test.each([
  ["Cluster", "Cart"],
  ["Namespaced", "Basket"],
])("a CRD that becomes %s, or of kind %s, is replaced with its objects", async (scope, kind) => {
  const { client, replaced, write, apply } = await session();
  write("Namespaced", "Cart");
  await apply();
  const cart = await client.mapper.kindFor({ apiVersion, kind: "Cart" });
  await client.create(cart, { metadata: { name: "old", namespace: "default" } });
  await apply();
  expect(replaced).toEqual([]);

  write(scope, kind);
  await apply();

  expect(replaced).toEqual([name]);
  const now = await client.mapper.kindFor({ apiVersion, kind });
  expect(now.scope).toBe(scope);
  expect(await client.list(now)).toEqual([]);
});

test("in a cluster that others use, a CRD with another scope is rejected, and the hint says how to delete it", async () => {
  const { client, write, applyToOthers } = await session();
  write("Namespaced", "Cart");
  await applyToOthers();
  write("Cluster", "Cart");
  await expect(applyToOthers()).rejects.toMatchObject({
    code: "REFUSED",
    hint: `delete the CRD there, with all its objects: kubectl delete crd ${name}; then save again`,
  });
  expect(await client.mapper.kindFor({ apiVersion, kind: "Cart" })).toMatchObject({ scope: "Namespaced" });
});
