import type { Manager } from "@tsbuilder/runtime";
import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import { expect, test } from "vitest";
import {
  applyShop,
  atOnce,
  setupShops,
  Shop,
  shopScenario,
} from "../../../e2e/support/simulation/simulated-shop.ts";
import type { Fault, Run, Scenario } from "../contract/index.ts";
import { drawFaults } from "../explore/draw-faults.ts";
import { explore } from "../explore/explore.ts";
import { Random } from "@tsbuilder/apimachinery/sample";
import { simulate } from "./simulate.ts";

const clientConfig = (path: string) => ({ service: { namespace: "system", name: "webhook-service", path } });

const rules = [
  { apiGroups: ["sim.dev"], apiVersions: ["v1"], resources: ["shops"], operations: ["CREATE", "UPDATE"] },
];

const webhookOf = (name: string, path: string) => ({
  name: `${name}.sim.dev`,
  clientConfig: clientConfig(path),
  rules,
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  timeoutSeconds: 5,
});

const configurations = [
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    metadata: { name: "shops" },
    webhooks: [webhookOf("default", "/mutate-sim-dev-v1-shop")],
  },
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "shops" },
    webhooks: [webhookOf("validate", "/validate-sim-dev-v1-shop")],
  },
];

/** An operator whose webhooks set a colour, and reject a size. */
function setup(manager: Manager): void {
  setupShops(manager);
  manager
    .webhookFor(Shop)
    .defaulter({ default: (shop) => void (shop.spec.colour ??= "white") })
    .validator({
      validateCreate: ({ spec }) =>
        spec.size === 13 ? [{ field: "spec.size", message: "nobody wants it", value: 13 }] : [],
    })
    .complete();
}

const scenario: Scenario = {
  ...shopScenario(setup),
  objects: configurations,
  steps: [applyShop("a", { size: 1 }), applyShop("b", { size: 13 })],
};

const callsIn = ({ trace }: Run) => trace.flatMap((event) => (event.type === "webhook" ? [event] : []));
const statusesOf = ({ trace }: Run) =>
  trace.flatMap((event) => (event.type === "step" && event.text.startsWith("apply") ? [event.status] : []));

test("the API server calls the webhooks of an operator", async () => {
  const run = await simulate(scenario);
  expect(run.state.list("Shop")).toMatchObject([{ metadata: { name: "a" }, spec: { colour: "white" } }]);
  expect(run.state.list("ConfigMap")).toMatchObject([{ data: { colour: "white" } }]);
  expect(statusesOf(run)).toEqual([201, 422]);
  expect(run.leftovers).toEqual([]);
});

test("a user tries again until the operator has started", async () => {
  const calls = callsIn(await simulate(atOnce(scenario)));
  expect(calls[0]).toMatchObject({ process: undefined, status: 0 });
  expect(calls.at(-1)).toMatchObject({ process: "shop-0", status: 200 });
});

test.each<readonly [string, Partial<Fault>, number]>([
  ["that can't be reached", {}, 20_000],
  ["that answers too late", { delay: 15_000 }, 20_000],
  ["that is slow", { delay: 3000 }, 3000],
])("a webhook %s holds writes up, and the outcome is the same", async (_, how, least) => {
  const fault = { fault: "webhook", operator: "shop", at: 0, for: 20_000, ...how } as Fault;
  const run = await simulate({ ...scenario, faults: [fault] });
  const first = callsIn(run).find(({ status }) => status === 200);
  expect(first!.at).toBeGreaterThanOrEqual(least);
  expect(run.trace.filter(({ type }) => type === "fault")).toHaveLength(1);
  expect(run.state.list("ConfigMap")).toMatchObject([{ data: { size: "1", colour: "white" } }]);
  expect(statusesOf(run)).toEqual([201, 422]);
});

test("calls take the same way again", async () => {
  const faults: Fault[] = [{ fault: "webhook", operator: "shop", at: 0, for: 9000, delay: 500 }];
  const traces = [await simulate({ ...scenario, faults }), await simulate({ ...scenario, faults })];
  expect(JSON.stringify(traces[1]!.trace)).toBe(JSON.stringify(traces[0]!.trace));
});

test("a right operator with webhooks passes", async () => {
  const operators = [{ name: "shop", setup, replicas: 2 }];
  const { failure, runs } = await explore({ ...scenario, operators }, { seeds: 5 });
  expect(failure?.story).toBeUndefined();
  expect(runs).toBe(5);
});

test("faults of webhooks are drawn where webhooks are called", async () => {
  const kindsIn = (plain: Run): Set<string> =>
    new Set(
      Array.from({ length: 200 }, (_, seed) => drawFaults(new Random(seed), plain))
        .flat()
        .map((fault) => (fault.fault === "webhook" ? `webhook, ${fault.delay ?? "down"}` : fault.fault)),
    );
  const called = kindsIn(await simulate(scenario));
  expect([...called].filter((kind) => kind.startsWith("webhook")).toSorted()).toEqual([
    "webhook, 15000",
    "webhook, 500",
    "webhook, 5000",
    "webhook, down",
  ]);
  expect(kindsIn(await simulate(shopScenario())).has("webhook, down")).toBe(false);
});

test("somebody edits a child of which the API server calls a webhook", async () => {
  const maps = [{ ...rules[0]!, apiGroups: [""], resources: ["configmaps"] }];
  const configuration = {
    ...configurations[1]!,
    webhooks: [{ ...webhookOf("maps", "/validate--v1-configmap"), rules: maps }],
  };
  const setupBoth = (manager: Manager): void => {
    setupShops(manager);
    manager.webhookFor(ConfigMap).validator({}).complete();
  };
  const { state, trace } = await simulate({
    ...shopScenario(setupBoth),
    objects: [configuration],
    steps: [applyShop("a", { size: 1 })],
    faults: [{ fault: "edit-child", child: 0, at: 20_000 }],
  });
  expect(trace).toContainEqual(
    expect.objectContaining({ type: "change", by: "user", resource: "configmaps", key: "default/a" }),
  );
  expect(state.list("ConfigMap")).toEqual([expect.objectContaining({ data: { size: "1" } })]);
});
