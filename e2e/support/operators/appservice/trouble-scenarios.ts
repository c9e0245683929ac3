import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { ConfigMap, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { HorizontalPodAutoscaler } from "@tsbuilder/runtime/k8s/autoscaling/v2";
import { Ingress } from "@tsbuilder/runtime/k8s/networking/v1";
import { PodDisruptionBudget } from "@tsbuilder/runtime/k8s/policy/v1";
import type { Kind } from "@tsbuilder/runtime";
import { expect } from "vitest";
import { AppService, type AppServiceSpec } from "../../../golden/app-operator/api/v1/appservice_types.ts";
import { Memcached } from "../../../golden/app-operator/api/v1/memcached_types.ts";
import type { Scenario, ScenarioContext } from "./context.ts";

/** Trouble that users and other programs cause for an operator by accident. */
export const troubleScenarios: readonly Scenario[] = [
  {
    id: "T23",
    title: "objects of other owners are left alone, and ours are created when they are gone",
    run: foreignObjects,
  },
  {
    id: "T23b",
    title: "two apps request the same node port: one waits, and gets it when it is free",
    run: nodePortClash,
  },
  {
    id: "B01",
    title: "an autoscaler owns spec.replicas from its first day to its last",
    run: autoscaling,
  },
  { id: "B02", title: "after twenty edits at once the last one holds", run: manyEdits },
  {
    id: "B03",
    title: "killed at any moment, it reaches the same state in the end",
    run: killed,
    kills: true,
  },
  { id: "B04", title: "an app with every field, and 500 variables, loses all of it again", run: richApp },
  { id: "B05", title: "a port that was edited by hand is restored with its node port", run: editedPort },
];

async function foreignObjects(context: ScenarioContext, namespace: string): Promise<void> {
  const { client } = context;
  const labels = { app: "theirs" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "a", image: "a" }] } };
  const taken = (name: string) => ({ namespace, name });
  const foreign = [
    await client.create(Deployment, {
      metadata: taken("deployment"),
      spec: { selector: { matchLabels: labels }, template },
    }),
    await client.create(Service, {
      metadata: taken("service"),
      spec: { selector: labels, ports: [{ port: 80 }] },
    }),
    await client.create(ConfigMap, { metadata: taken("config-config"), data: { a: "b" } }),
  ];
  const spec = { image: "nginx", ports: [{ port: 80 }], config: { c: "d" } };
  const apps = ["deployment", "service", "config"].map(taken);
  for (const key of apps) await context.create(key, spec);
  const other = taken("served");
  foreign.push(
    await client.create(Service, { metadata: other, spec: { selector: labels, ports: [{ port: 80 }] } }),
  );
  await client.create(Memcached, { metadata: other, spec: {} });
  await context.eventually(async () => {
    for (const key of apps)
      expect(await context.condition(AppService, key, "Degraded")).toBe("True/NameConflict");
    expect(await context.condition(Memcached, other, "Degraded")).toBe("True/NameConflict");
  });
  const { status } = await client.get(AppService, taken("deployment"));
  expect(status?.conditions?.find(({ type }) => type === "Degraded")?.message).toContain(
    'Deployment "deployment"',
  );
  // The status doesn't report the third-party Deployment as the app's, and the app's other children are created.
  expect(await context.condition(AppService, taken("deployment"), "Available")).toBe("False/Deploying");
  await client.get(Service, taken("deployment"));

  for (const object of foreign) {
    const kind = { Deployment, Service, ConfigMap }[object.kind] as Kind;
    const now = await client.get(kind, object.metadata);
    expect(now.metadata.resourceVersion).toBe(object.metadata.resourceVersion);
    await client.delete(kind, object.metadata, { propagationPolicy: "Background" });
  }
  await context.eventually(async () => {
    for (const key of apps)
      expect(await context.condition(AppService, key, "Degraded")).toBe("False/AsExpected");
    expect(await context.condition(Memcached, other, "Degraded")).toBe("False/AsExpected");
  });
  for (const key of apps)
    expect((await client.get(Deployment, key)).metadata.ownerReferences).toHaveLength(1);
  expect((await client.get(Service, other)).metadata.ownerReferences).toHaveLength(1);
}

async function nodePortClash(context: ScenarioContext, namespace: string): Promise<void> {
  const [first, second] = ["first", "second"].map((name) => ({ namespace, name })) as [
    { namespace: string; name: string },
    { namespace: string; name: string },
  ];
  const spec = { image: "nginx", ports: [{ port: 80, nodePort: 30023 }] };
  await context.make(first, spec);
  await context.create(second, spec);
  await context.until(AppService, second, "Degraded", "True/ServiceRejected");
  const { status } = await context.client.get(AppService, second);
  expect(status?.conditions?.find(({ type }) => type === "Degraded")?.message).toContain("30023");
  await context.client.get(Deployment, second);
  // The events of the children have been handled by then; a hot loop would still be running.
  await context.settled();
  const writes = context.writesFromNow();
  await context.wait(3000);
  expect(writes().filter(({ path }) => path.endsWith("/services/second")).length).toBeLessThanOrEqual(1);
  await context.change(first, { ports: [{ port: 80 }] });
  await context.until(AppService, second, "Degraded", "False/AsExpected");
  expect((await context.client.get(Service, second)).spec?.ports?.[0]?.nodePort).toBe(30023);
}

async function autoscaling(context: ScenarioContext, namespace: string): Promise<void> {
  const key = { namespace, name: "elastic" };
  const resources = { requests: { cpu: "10m" } };
  await context.make(key, { image: "nginx", replicas: 4, resources });
  const numbers: (number | undefined)[] = [];
  const watching = new AbortController();
  const watched = (async () => {
    for await (const { object } of context.client.watch(Deployment, { namespace, signal: watching.signal }))
      numbers.push((object as Deployment).spec?.replicas);
  })().catch(() => undefined);
  await context.follow(key, { autoscaling: { minReplicas: 2, maxReplicas: 8 } });
  await context.client.get(HorizontalPodAutoscaler, key);
  expect((await context.client.get(Deployment, key)).spec?.replicas).toBe(4);

  // The autoscaler writes through /scale; no later reconcile may revert that.
  await context.client
    .subresource(Deployment, key, "scale")
    .patch({ merge: { spec: { replicas: 7 } } }, { fieldManager: "autoscaler" });
  await context.follow(key, { image: "nginx:2", replicas: 3 });
  const deployment = await context.client.get(Deployment, key);
  expect(deployment.spec?.template.spec?.containers[0]?.image).toBe("nginx:2");
  expect(deployment.spec?.replicas).toBe(7);

  await context.follow(key, { autoscaling: null });
  expect(await context.client.find(HorizontalPodAutoscaler, key)).toBeUndefined();
  await context.eventually(async () => {
    expect((await context.client.get(Deployment, key)).spec?.replicas).toBe(3);
  });
  watching.abort();
  await watched;
  expect(numbers).not.toContain(1);
}

async function manyEdits(context: ScenarioContext, namespace: string): Promise<void> {
  const key = { namespace, name: "busy" };
  await context.create(key, { image: "nginx:0", ports: [{ port: 80 }] });
  const edits = Array.from({ length: 20 }, (_, at) => [
    context.change(key, { image: `nginx:${at}` }),
    context.client.subresource(AppService, key, "scale").patch({ merge: { spec: { replicas: at } } }),
    context.client.patch(AppService, key, { merge: { metadata: { annotations: { edit: `${at}` } } } }),
  ]).flat();
  await Promise.all(edits);
  const app = await context.observed(key);
  const { spec } = await context.client.get(Deployment, key);
  expect(spec?.replicas).toBe(app.spec.replicas);
  expect(spec?.template.spec?.containers[0]?.image).toBe(app.spec.image);
}

async function killed(context: ScenarioContext, namespace: string): Promise<void> {
  const keys = Array.from({ length: 10 }, (_, at) => ({ namespace, name: `victim-${at}` }));
  const full = { image: "nginx:0", replicas: 2, ports: [{ port: 80 }], config: { round: "0" } };
  for (const key of keys) await context.create(key, full);
  const pauses = [0, 5, 15, 40, 80];
  for (const [round, pause] of pauses.entries()) {
    const spec = { image: `nginx:${round + 1}`, config: { round: `${round + 1}` } };
    const odd = { ...spec, ports: round % 2 ? [{ port: 80 }] : null, replicas: 1 + (round % 2) };
    for (const key of keys) await context.change(key, odd);
    await context.wait(pause);
    await context.crash();
  }
  for (const key of keys) {
    await context.observed(key);
    const { spec } = await context.client.get(Deployment, key);
    expect(spec?.template.spec?.containers[0]?.image).toBe(`nginx:${pauses.length}`);
    const { data } = await context.client.get(ConfigMap, { namespace, name: `${key.name}-config` });
    expect(data).toEqual({ round: `${pauses.length}` });
    // The last round has no ports and at most one pod.
    expect(await context.client.find(Service, key)).toBeUndefined();
    expect(await context.client.find(PodDisruptionBudget, key)).toBeUndefined();
  }
}

async function richApp(context: ScenarioContext, namespace: string): Promise<void> {
  const key = { namespace, name: "rich" };
  const envs = Array.from({ length: 500 }, (_, at) => ({ name: `V${at}`, value: "x".repeat(100) }));
  const spec: AppServiceSpec = {
    image: "nginx",
    replicas: 2,
    envs,
    ports: [{ port: 80 }],
    ingress: { host: "app.example.com" },
    resources: { requests: { cpu: "10m" } },
    autoscaling: { minReplicas: 2, maxReplicas: 4 },
    config: { LEVEL: "debug" },
  };
  await context.make(key, spec);
  const config = { namespace, name: "rich-config" };
  const optional: [Kind, { namespace: string; name: string }][] = [
    [Service, key],
    [Ingress, key],
    [HorizontalPodAutoscaler, key],
    [PodDisruptionBudget, key],
    [ConfigMap, config],
  ];
  for (const [kind, child] of optional) await context.client.get(kind, child);
  expect((await context.client.get(Ingress, key)).spec?.ingressClassName).toBeUndefined();
  const container = await context.container(key);
  expect(container.env).toEqual(envs);

  // All optional fields are removed while the operator is down.
  await context.stop();
  const gone = { ports: null, ingress: null, autoscaling: null, config: null, envs: null };
  await context.change(key, { ...gone, replicas: 1 });
  await context.start();
  await context.observed(key);
  for (const [kind, child] of optional) expect(await context.client.find(kind, child)).toBeUndefined();
  expect((await context.client.get(Deployment, key)).spec!.template.spec!.containers[0]!.env).toBeUndefined();
}

async function editedPort(context: ScenarioContext, namespace: string): Promise<void> {
  const key = { namespace, name: "edited" };
  await context.make(key, { image: "nginx", ports: [{ name: "web", port: 80, nodePort: 30025 }] });
  const { metadata, spec } = await context.client.get(Service, key);
  await context.client.patch(Service, key, {
    json: [{ op: "replace", path: "/spec/ports/0/port", value: 81 }],
  });
  await context.eventually(async () => {
    const service = await context.client.get(Service, key);
    expect(service.spec?.ports).toEqual(spec?.ports);
    expect(service.metadata.uid).toBe(metadata.uid);
  });
  expect(await context.condition(AppService, key, "Degraded")).toBe("False/AsExpected");
}
