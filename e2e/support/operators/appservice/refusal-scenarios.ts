import { ApiError, type Kind } from "@tsbuilder/runtime";
import { expect } from "vitest";
import { AppService, type AppServiceSpec } from "../../../golden/app-operator/api/v1/appservice_types.ts";
import { Memcached, type MemcachedSpec } from "../../../golden/app-operator/api/v1/memcached_types.ts";
import type { Scenario, ScenarioContext } from "./context.ts";

/** Objects that the API server rejects because of the generated CRDs, so that the operator never sees them. */
export const refusalScenarios: readonly Scenario[] = [
  {
    id: "T06",
    title: "a negative number of replicas is rejected, by /scale and in the spec",
    run: negativeScale,
  },
  {
    id: "T19",
    title: "invalid objects are rejected with the field or the rule, and never reconciled",
    run: invalid,
  },
  { id: "T20", title: "invalid changes are rejected, and the object stays as it is", run: invalidChanges },
];

async function negativeScale(context: ScenarioContext, namespace: string): Promise<void> {
  for (const kind of [AppService, Memcached] as Kind<Memcached>[]) {
    const key = { namespace, name: `scaled-${kind.kind.toLowerCase()}` };
    const spec = { image: "nginx", replicas: 2 };
    await context.client.create(kind, { metadata: key, spec });
    const scale = context.client.subresource(kind, key, "scale");
    const byScale = await refusal(scale.patch({ merge: { spec: { replicas: -1 } } }));
    expect(byScale).toMatchObject({ status: 422, reason: "Invalid" });
    expect(byScale.message).toContain("spec.replicas");
    expect(byScale.message).toContain("greater than or equal to 0");
    const bySpec = await refusal(context.client.patch(kind, key, { merge: { spec: { replicas: -1 } } }));
    expect(bySpec).toMatchObject({ status: 422, reason: "Invalid" });
    expect(bySpec.message).toContain("should be greater than or equal to 0");
    expect((await context.client.get(kind, key)).spec).toMatchObject(spec);
  }
}

const requests = { requests: { cpu: "1" } };

/** Invalid specs, and what the error must contain. */
const wrong: readonly (readonly [name: string, spec: unknown, says: string])[] = [
  ["no-image", {}, "spec.image: Required value"],
  ["empty-image", { image: "" }, "spec.image"],
  ["text-as-number", { image: "a", replicas: "3" }, "spec.replicas"],
  ["too-many", { image: "a", replicas: 1001 }, "spec.replicas"],
  ["port-zero", { image: "a", ports: [{ port: 0 }] }, "spec.ports[0].port"],
  ["node-port", { image: "a", ports: [{ port: 80, nodePort: 80 }] }, "spec.ports[0].nodePort"],
  ["unnamed", { image: "a", ports: [{ port: 80 }, { port: 81 }] }, "each needs a name"],
  [
    "inward-node-port",
    { image: "a", serviceType: "ClusterIP", ports: [{ port: 80, nodePort: 30001 }] },
    "nodePort requires serviceType",
  ],
  [
    "min-over-max",
    { image: "a", resources: requests, autoscaling: { minReplicas: 3, maxReplicas: 2 } },
    "minReplicas is larger than maxReplicas",
  ],
  ["no-request", { image: "a", autoscaling: { maxReplicas: 2 } }, "autoscaling requires"],
  ["nowhere", { image: "a", ingress: { host: "a.example.com" } }, "ingress requires ports"],
  ["named-nothing", { image: "a", ports: [{ port: 80, targetPort: "web" }] }, "a named targetPort must be"],
  ["digits", { image: "a", ports: [{ name: "80", port: 80 }] }, "port names contain a letter"],
  ["dashes", { image: "a", ports: [{ name: "a--b", port: 80 }] }, "port names contain a letter"],
  ["spaced", { image: "a", config: { "a b": "1" } }, "names consist of letters"],
  ["twice", { image: "a", envs: [{ name: "A" }, { name: "A" }] }, "spec.envs[1]"],
  ["other-type", { image: "a", serviceType: "ExternalName" }, "spec.serviceType"],
  ["with.dots", { image: "a" }, "metadata.name must be a valid Service name"],
  ["1st", { image: "a" }, "metadata.name must be a valid Service name"],
  ["x".repeat(53), { image: "a" }, "metadata.name must be a valid Service name"],
];

const wrongImages: readonly (readonly [name: string, spec: unknown, says: string])[] = [
  ["empty", { image: "" }, "spec.image"],
  ["port", { port: 70000 }, "spec.port"],
  ["user", { runAsUser: -1 }, "spec.runAsUser"],
  ["with.dots", {}, "metadata.name must be a valid Service name"],
];

async function invalid(context: ScenarioContext, namespace: string): Promise<void> {
  await context.settled();
  const before = [await context.reconciles("appservice"), await context.reconciles("memcached")];
  for (const [name, spec, says] of wrong)
    await expectInvalid(
      context.client.create(AppService, { metadata: { name, namespace }, spec: spec as AppServiceSpec }),
      says,
    );
  for (const [name, spec, says] of wrongImages)
    await expectInvalid(
      context.client.create(Memcached, { metadata: { name, namespace }, spec: spec as MemcachedSpec }),
      says,
    );
  expect(await context.client.list(AppService, { namespace })).toEqual([]);
  expect(await context.client.list(Memcached, { namespace })).toEqual([]);
  expect([await context.reconciles("appservice"), await context.reconciles("memcached")]).toEqual(before);
}

/** Specs that are invalid for an app with an image and a port, too. */
const changes = ["empty-image", "text-as-number", "port-zero", "node-port", "unnamed", "inward-node-port"];

async function invalidChanges(context: ScenarioContext, namespace: string): Promise<void> {
  const key = { namespace, name: "steady" };
  const { metadata, spec } = await context.make(key, { image: "nginx", ports: [{ name: "web", port: 80 }] });
  for (const [, change, says] of wrong.filter(([name]) => changes.includes(name)))
    await expectInvalid(context.change(key, change as AppServiceSpec), says);
  await expectInvalid(context.change(key, { image: null }), "spec.image: Required value");
  const after = await context.client.get(AppService, key);
  expect(after.metadata.generation).toBe(metadata.generation);
  expect(after.spec).toEqual(spec);
}

async function expectInvalid(request: Promise<unknown>, says: string): Promise<void> {
  const error = await refusal(request);
  expect(error).toMatchObject({ status: 422, reason: "Invalid" });
  expect(error.message).toContain(says);
}

async function refusal(request: Promise<unknown>): Promise<ApiError> {
  const outcome = await request.then(
    () => new Error("it was accepted"),
    (error: unknown) => error,
  );
  if (outcome instanceof ApiError) return outcome;
  throw outcome;
}
