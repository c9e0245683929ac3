/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { findCondition, isConditionTrue } from "@tsbuilder/runtime";
import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { Service } from "@tsbuilder/runtime/k8s/core/v1";
import { eventually, startTestManager, type TestManager } from "@tsbuilder/runtime/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Memcached, type MemcachedSpec } from "../../api/v1/memcached_types.ts";
import { setupMemcachedController } from "./memcached_controller.ts";

const namespace = "default";
let cluster: TestCluster;
let manager: TestManager;

// Only our controller runs in this cluster: tests set the status of Deployments themselves.
beforeAll(async () => {
  cluster = await startTestCluster({ crds: ["config/crd/bases"] });
  manager = await startTestManager(cluster.kubeconfig, setupMemcachedController);
});

afterAll(async () => {
  await manager?.stop();
  await cluster?.stop();
});

test("the scaffolded image is the default", async () => {
  const deployment = await create("plain", {});
  expect(container(deployment)).toMatchObject({ image: "memcached:1.6-alpine" });
});

test.each(["nginx", "registry.example.com:5000/team/app", `nginx@sha256:${"0".repeat(64)}`])(
  "%s is rolled out unchanged",
  async (image) => {
    const name = `image-${image.length}`;
    await create(name, {});
    await change(name, { image });
    await eventually(async () => {
      const deployment = await manager.client.get(Deployment, { namespace, name });
      expect(container(deployment).image).toBe(image);
    });
  },
);

test("objects don't share pods", async () => {
  const [one, other] = await Promise.all([create("one", {}), create("other", {})]);
  expect(one.spec?.selector).not.toEqual(other.spec?.selector);
});

test("the Service follows the port", async () => {
  const name = "served";
  await create(name, { port: 8080 });
  const portOf = async () =>
    (await manager.client.get(Service, { namespace, name })).spec?.ports?.map(({ port }) => port);
  await eventually(async () => expect(await portOf()).toEqual([8080]));
  await change(name, { port: 8081 });
  await eventually(async () => expect(await portOf()).toEqual([8081]));
});

test("a manually edited port is reverted", async () => {
  const name = "edited";
  await create(name, { port: 8080 });
  const service = await eventually(() => manager.client.get(Service, { namespace, name }));
  await manager.client.patch(Service, service, (draft) => {
    draft.spec!.ports![0]!.port = 9090;
  });
  await eventually(async () => {
    const { spec } = await manager.client.get(Service, { namespace, name });
    expect(spec?.ports?.map(({ port }) => port)).toEqual([8080]);
  });
});

test("a Service of the same name with another owner is reported and left alone", async () => {
  const name = "contested";
  const spec = { ports: [{ port: 80 }], selector: { app: "other" } };
  const theirs = await manager.client.create(Service, { metadata: { name, namespace }, spec });
  await create(name, { port: 8080 });
  await eventually(async () => {
    const { conditions } = (await get(name)).status ?? {};
    expect(findCondition(conditions, "Degraded")).toMatchObject({ reason: "NameConflict" });
  });
  expect(await manager.client.get(Service, { namespace, name })).toEqual(theirs);
});

test("with runAsUser the pods satisfy the restricted Pod Security Standard", async () => {
  const deployment = await create("restricted", { runAsUser: 1001 });
  expect(deployment.spec?.template.spec?.securityContext).toMatchObject({
    runAsUser: 1001,
    runAsNonRoot: true,
  });
  expect(container(deployment).securityContext).toEqual({
    allowPrivilegeEscalation: false,
    capabilities: { drop: ["ALL"] },
  });
});

test("the conditions follow the Deployment", async () => {
  const name = "conditions";
  const deployment = await create(name, { replicas: 2 });
  await eventually(async () => {
    const { conditions } = (await get(name)).status ?? {};
    expect(findCondition(conditions, "Available")?.reason).toBe("Deploying");
  });
  await manager.client.patchStatus(Deployment, deployment, {
    observedGeneration: deployment.metadata.generation,
    replicas: 2,
    updatedReplicas: 2,
    readyReplicas: 2,
    availableReplicas: 2,
  });
  await eventually(async () => {
    const { conditions, readyReplicas } = (await get(name)).status ?? {};
    expect(isConditionTrue(conditions, "Available")).toBe(true);
    expect(findCondition(conditions, "Progressing")?.reason).toBe("UpToDate");
    expect(readyReplicas).toBe(2);
  });
});

/** Creates an object, and waits for its Deployment. */
async function create(name: string, spec: MemcachedSpec): Promise<Deployment> {
  await manager.client.create(Memcached, { metadata: { name, namespace }, spec });
  return eventually(() => manager.client.get(Deployment, { namespace, name }));
}

/** Changes the spec without an optimistic lock, because the status may have changed meanwhile. */
async function change(name: string, spec: MemcachedSpec): Promise<void> {
  await manager.client.patch(Memcached, { namespace, name }, { merge: { spec } });
}

function get(name: string): Promise<Memcached> {
  return manager.client.get(Memcached, { namespace, name });
}

function container(deployment: Deployment) {
  return deployment.spec!.template.spec!.containers[0]!;
}
