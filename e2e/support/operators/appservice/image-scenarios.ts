import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { Service } from "@tsbuilder/runtime/k8s/core/v1";
import { expect } from "vitest";
import { Memcached, type MemcachedSpec } from "../../../golden/app-operator/api/v1/memcached_types.ts";
import { type Key, type Scenario, type ScenarioContext } from "./context.ts";

/** Children that an operator scaffolded by the deploy-image plugin creates for its objects. */
export const imageScenarios: readonly Scenario[] = [
  { id: "I01", title: "an empty spec runs the scaffolded image, command, port and user", run: scaffolded },
  {
    id: "I02",
    title: "two objects share neither pods nor labels, and images may have any form",
    run: images,
  },
  { id: "I03", title: "it scales by /scale, and deleted children are created again", run: scaleAndDelete },
  {
    id: "I04",
    title: "Available and Progressing follow the current state of the Deployment",
    run: conditions,
  },
];

async function scaffolded(context: ScenarioContext, namespace: string): Promise<void> {
  const key = { namespace, name: "plain" };
  const { metadata } = await create(context, key, {});
  const deployment = await context.eventually(() => context.client.get(Deployment, key));
  expect(deployment.metadata.ownerReferences).toMatchObject([{ uid: metadata.uid, controller: true }]);
  expect(deployment.spec).toMatchObject({
    replicas: 1,
    template: {
      spec: {
        securityContext: { runAsUser: 1001, runAsNonRoot: true },
        containers: [
          {
            image: "memcached:1.6-alpine",
            command: ["memcached", "-m=64", "-v"],
            ports: [{ containerPort: 11211 }],
          },
        ],
      },
    },
  });
  const service = await context.eventually(() => context.client.get(Service, key));
  expect(service.spec).toMatchObject({ type: "ClusterIP", ports: [{ port: 11211 }] });
}

async function images(context: ScenarioContext, namespace: string): Promise<void> {
  const forms = [
    "nginx",
    "registry.example.com:5000/team/app",
    "registry.example.com:5000/team/app:v1",
    `registry.example.com:5000/app@sha256:${"0".repeat(64)}`,
  ];
  const keys = forms.map((_, at) => ({ namespace, name: `image-${at}` }));
  for (const key of keys) await create(context, key, {});
  for (const [at, key] of keys.entries()) await change(context, key, { image: forms[at]! });
  const deployments = await context.eventually(async () => {
    const found = await Promise.all(keys.map((key) => context.client.get(Deployment, key)));
    expect(found.map(({ spec }) => spec!.template.spec!.containers[0]!.image)).toEqual(forms);
    return found;
  });
  const selectors = deployments.map(({ spec }) => JSON.stringify(spec!.selector));
  expect(new Set(selectors).size).toBe(forms.length);
  for (const selector of selectors) expect(selector).not.toMatch(/image-\d.*(nginx|v1|sha256)/);
}

async function scaleAndDelete(context: ScenarioContext, namespace: string): Promise<void> {
  const key = { namespace, name: "scaled" };
  await create(context, key, {});
  const before = await context.eventually(() => context.client.get(Deployment, key));
  await context.client.subresource(Memcached, key, "scale").patch({ merge: { spec: { replicas: 4 } } });
  await context.eventually(async () => {
    expect((await context.client.get(Deployment, key)).spec?.replicas).toBe(4);
  });
  await context.client.delete(Deployment, key, { propagationPolicy: "Background" });
  await context.client.delete(Service, key);
  await context.eventually(async () => {
    const after = await context.client.get(Deployment, key);
    expect(after.metadata.uid).not.toBe(before.metadata.uid);
    expect(after.spec?.replicas).toBe(4);
    expect((await context.client.get(Service, key)).metadata.deletionTimestamp).toBeUndefined();
  });
}

async function conditions(context: ScenarioContext, namespace: string): Promise<void> {
  const key = { namespace, name: "watched" };
  await create(context, key, {});
  await context.eventually(async () => {
    expect(await context.condition(Memcached, key, "Available")).toBe("False/Deploying");
    expect(await context.condition(Memcached, key, "Degraded")).toBe("False/AsExpected");
  });
  await context.makeAvailable(key);
  await context.eventually(async () => {
    expect(await context.condition(Memcached, key, "Available")).toBe("True/DeploymentAvailable");
    expect(await context.condition(Memcached, key, "Progressing")).toBe("False/UpToDate");
  });
  // The Deployment has a new generation that its controller has not observed: its status is about the old one.
  await change(context, key, { image: "memcached:1.7" });
  await context.eventually(async () => {
    expect(await context.condition(Memcached, key, "Available")).toBe("False/Deploying");
    expect(await context.condition(Memcached, key, "Progressing")).toBe("True/RollingOut");
  });
}

function create(context: ScenarioContext, key: Key, spec: MemcachedSpec): Promise<Memcached> {
  return context.client.create(Memcached, { metadata: { ...key }, spec });
}

function change(context: ScenarioContext, key: Key, spec: MemcachedSpec): Promise<Memcached> {
  return context.client.patch(Memcached, key, { merge: { spec } });
}
