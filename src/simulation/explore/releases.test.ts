import type { Manager } from "@tsbuilder/runtime";
import { ConfigMap, Secret } from "@tsbuilder/runtime/k8s/core/v1";
import { expect, test } from "vitest";
import {
  applyShop,
  setupShops,
  Shop,
  shopCRD,
  shopScenario,
  shopsThat,
} from "../../../e2e/support/simulation/simulated-shop.ts";
import type { OperatorRelease, Scenario } from "../contract/index.ts";
import { examineScenario, explore } from "./explore.ts";
import { simulate } from "../world/simulate.ts";

const [version] = shopCRD.spec.versions;

/** The CRD of shops, with another schema of the spec. */
function crdWith(spec: object): typeof shopCRD {
  const { openAPIV3Schema } = version!.schema;
  const properties = { ...openAPIV3Schema.properties, spec: { type: "object", properties: spec } };
  const schema = { openAPIV3Schema: { ...openAPIV3Schema, properties } };
  return { ...shopCRD, spec: { ...shopCRD.spec, versions: [{ ...version!, schema } as never] } };
}

const rules = [
  { apiGroups: ["sim.dev"], resources: ["shops", "shops/status"], verbs: ["*"] },
  { apiGroups: [""], resources: ["configmaps"], verbs: ["*"] },
];

/** A scenario of the present operator, with another release of it. */
function withOther(
  other: { former: OperatorRelease } | { next: OperatorRelease },
  setup: OperatorRelease["setup"] = setupShops,
): Scenario {
  const scenario = shopScenario();
  return { ...scenario, operators: [{ name: "shop", setup, rules, ...other }] };
}

/** Adds a child of another name to what the operator does. */
function setupWithChild(manager: Manager): void {
  shopsThat(async ({ client }, shop) => {
    const { namespace, name } = shop.metadata;
    for (const child of [name, `${name}-cache`])
      await client.apply(ConfigMap, { metadata: { namespace, name: child } }, { owner: shop, force: true });
  })(manager);
}

test.each(["former", "next"] as const)(
  "a right operator finds nothing in what its %s release left",
  async (which) => {
    const other = { setup: setupShops, crds: [shopCRD], rules } as const;
    const { failure, runs } = await explore(
      withOther(which === "former" ? { former: other } : { next: other }),
      { seeds: 40 },
    );
    expect(failure?.story).toBeUndefined();
    expect(runs).toBe(40);
  },
);

test("what only the former release made is left", async () => {
  const { failure } = await explore(withOther({ former: { setup: setupWithChild } }), { seeds: 40 });
  expect(failure?.verdict.class).toBe("upgrade");
  expect(failure?.verdict.message).toContain("a-cache");
  expect(failure?.scenario.faults).toEqual([expect.objectContaining({ fault: "upgrade", operator: "shop" })]);
});

test("an upgrade installs the CRD, the role and the webhooks of this release", async () => {
  const configuration = (name: string) => ({
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name },
    webhooks: [],
  });
  const setup = shopsThat(async ({ client }, shop) => {
    const { namespace, name } = shop.metadata;
    const stringData = { colour: shop.spec.colour ?? "none" };
    await client.apply(Secret, { metadata: { namespace, name }, stringData }, { owner: shop, force: true });
  });
  const scenario = withOther(
    {
      former: {
        setup: () => {},
        crds: [crdWith({ size: version!.schema.openAPIV3Schema.properties.spec.properties.size })],
        rules,
        webhooks: [configuration("former")],
      },
    },
    setup,
  );
  const [operator] = scenario.operators;
  const secrets = { apiGroups: [""], resources: ["secrets"], verbs: ["*"] };
  const { state, trace } = await simulate({
    ...scenario,
    operators: [{ ...operator!, rules: [...rules, secrets] }],
    objects: [configuration("present")],
    steps: [
      applyShop("early", { size: 1, colour: "red" }),
      { ...applyShop("late", { size: 1, colour: "red" }), after: 60_000 } as never,
    ],
    faults: [{ fault: "upgrade", operator: "shop", at: 30_000 }],
  });
  const colours = state
    .list("Secret")
    .map(({ metadata, ...secret }) => [
      metadata.name,
      Buffer.from((secret as { data?: { colour?: string } }).data?.colour ?? "", "base64").toString(),
    ]);
  // The former CRD has no colour, so that the one of the first shop was dropped.
  expect(colours).toEqual([
    ["early", "none"],
    ["late", "red"],
  ]);
  expect(state.list("ValidatingWebhookConfiguration").map(({ metadata }) => metadata.name)).toEqual([
    "present",
  ]);
  expect(trace.filter((event) => event.type === "log" && event.level === "error")).toEqual([]);
});

test("an object that the former release accepts is accepted", async () => {
  const scenario = withOther({ former: { setup: setupShops, crds: [shopCRD] } });
  const crds = [crdWith({ size: { type: "integer", minimum: 3 }, colour: { type: "string" } })];
  const { failure } = await explore({ ...scenario, crds }, { seeds: 4 });
  expect(failure?.verdict.class).toBe("tightened");
  expect(failure?.verdict.message).toMatch(
    /^Shop\.sim\.dev\/v1 default\/a, which the former release accepts, is rejected: .*spec\.size: Invalid value: 1/u,
  );
  expect(failure?.scenario.steps).toHaveLength(1);
  // A value that was never valid is none that gets rejected now.
  const wrong = { ...scenario, crds, steps: [applyShop("a", { size: -1 })] };
  expect(await examineScenario(wrong)).toBeUndefined();
});

test("a CRD that the API server refuses while the former release's objects are there", async () => {
  const former = {
    setup: setupShops,
    crds: [
      {
        ...shopCRD,
        spec: {
          ...shopCRD.spec,
          versions: [
            { ...version!, storage: false },
            { ...version!, name: "v0" },
          ],
        },
      },
    ],
  };
  const faults = [{ fault: "upgrade", operator: "shop", at: 5000 }] as const;
  const failure = await examineScenario({ ...withOther({ former }), faults });
  expect(failure?.verdict.class).toBe("upgrade");
  expect(failure?.verdict.message).toMatch(
    /the API server refuses .*shops\.sim\.dev of this release: .*storedVersions/u,
  );
});

/** Releases each shop when it is deleted, by a finalizer that no other release knows. */
function setupWithFinalizer(manager: Manager): void {
  const finalizer = "sim.dev/cleanup";
  manager
    .controllerFor(Shop)
    .owns(ConfigMap)
    .complete({
      async reconcile(request) {
        const shop = await manager.client.find(Shop, request);
        if (!shop) return;
        const { finalizers = [], deletionTimestamp } = shop.metadata;
        const patch = (wanted: readonly string[]) =>
          manager.client.patch(Shop, request, { merge: { metadata: { finalizers: wanted } } });
        if (deletionTimestamp) return void (await patch([]));
        if (!finalizers.includes(finalizer)) await patch([finalizer]);
        const { namespace, name } = request;
        await manager.client.apply(
          ConfigMap,
          { metadata: { namespace, name } },
          { owner: shop, force: true },
        );
      },
    });
}

test("after a rollback, the release before finds what this one left", async () => {
  const { failure } = await explore(withOther({ next: { setup: setupWithFinalizer } }), { seeds: 40 });
  expect(failure?.verdict.class).toBe("rollback");
  expect(failure?.scenario.faults).toEqual([
    expect.objectContaining({ fault: "rollback", operator: "shop" }),
  ]);
});

test("mistakes of a release that is out are not reported", async () => {
  /** Remembers in the process what it has done. */
  const forgetful = (manager: Manager): void => {
    const done = new Set<string>();
    shopsThat(async ({ client }, shop) => {
      const { namespace, name, uid } = shop.metadata;
      const times = done.has(uid) ? "again" : "first";
      done.add(uid);
      await client.apply(
        ConfigMap,
        { metadata: { namespace, name }, data: { times } },
        { owner: shop, force: true },
      );
    })(manager);
  };
  const { failure } = await explore(withOther({ next: { setup: setupShops } }, forgetful), { seeds: 12 });
  expect(failure?.story).toBeUndefined();
});
