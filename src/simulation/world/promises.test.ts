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
import {
  type Effect,
  external,
  type Fault,
  type Promises,
  type Scenario,
  type State,
  type Step,
} from "../contract/index.ts";
import { simulate } from "./simulate.ts";

const later = { apiVersion: "v1", kind: "ConfigMap", data: {} };

/** A step that only lets time pass. */
const waitFor = (after: number): Step => ({
  do: "apply",
  object: { ...later, metadata: { name: `after-${after}` } },
  after,
});

/** Returns the promises that a run breaks: `never: a shop is large (…)`, with the seconds at which it happens. */
async function brokenBy(promises: Promises, more: Partial<Scenario> = {}): Promise<string[]> {
  const { trace } = await simulate({ ...shopScenario(), ...promises, ...more });
  return trace.flatMap((event) =>
    event.type === "promise"
      ? [`${event.promise}: ${event.name}${event.about === undefined ? "" : ` (${event.about})`}`]
      : [],
  );
}

const sizesOf = (objects: readonly object[]): number[] => (objects as Shop[]).map(({ spec }) => spec.size);

test("a state that must never be is found although it passes, and one that must always be, although it comes back", async () => {
  const broken = await brokenBy({
    never: { "a shop of size 1": (state) => sizesOf(state.list("Shop")).includes(1) },
    always: { "at most one shop": (state) => state.list("Shop").length <= 1 },
  });
  expect(broken.toSorted()).toEqual(["always: at most one shop", "never: a shop of size 1"]);
  const kept = await brokenBy({
    never: { "a shop of size 9": (state) => sizesOf(state.list("Shop")).includes(9) },
    always: { "at most two shops": (state) => state.list("Shop").length <= 2 },
  });
  expect(kept).toEqual([]);
});

test("promises are about effects, too: a check sees the one that has just led to the state", async () => {
  const effects: Effect[] = [];
  const note = (effect: Effect | undefined): boolean => {
    if (effect) effects.push(effect);
    return false;
  };
  const never = { nothing: (_: State, effect?: Effect) => note(effect) };
  expect(await brokenBy({ never }, atOnce(shopScenario()))).toEqual([]);
  const seen = effects.map((effect) =>
    "object" in effect
      ? `${effect.by} ${effect.type} ${effect.object.kind} ${effect.object.metadata.name}`
      : "",
  );
  const ofA = new Set(seen.filter((text) => text.endsWith(" a")));
  expect([...ofA].toSorted()).toEqual([
    "cluster delete ConfigMap a",
    "shop-0 create ConfigMap a",
    "shop-0 update Shop a",
    "user create Shop a",
    "user delete Shop a",
    "user update Shop a",
  ]);
  const update = effects.find((effect) => effect.type === "update" && effect.by === "user");
  expect(update).toMatchObject({ before: { spec: { size: 1 } }, object: { spec: { size: 3 } } });
});

test("what must be eventually is asked when all rests, and what must be after the deletion, after it", async () => {
  const has = (name: string) => (state: State) =>
    state.list("ConfigMap").some(({ metadata }) => metadata.name === name);
  const hasNone = (state: State): boolean => state.list("ConfigMap").length === 0;
  const broken = await brokenBy({
    eventually: { "a has a map": has("a"), "b has a map": has("b") },
    afterDeletion: { "no map is left": hasNone, "the map of a stays": has("a") },
  });
  expect(broken).toEqual(["eventually: b has a map", "afterDeletion: the map of a stays"]);
});

test("what must be eventually isn't asked of operators that never rest: that is another mistake", async () => {
  const setup = (manager: Manager): void =>
    void manager.controllerFor(Shop).complete({
      async reconcile(request) {
        const shop = await manager.client.find(Shop, request, { live: true });
        if (shop) await manager.client.patchStatus(Shop, shop, { size: (shop.status?.size ?? 0) + 1 });
      },
    });
  expect(await brokenBy({ eventually: { never: () => false } }, shopScenario(setup))).toEqual([]);
});

test("what must be eventually is asked again after the restart", async () => {
  let starts = 0;
  const setup = (manager: Manager): void => {
    const isFirst = ++starts === 1;
    setupShops(manager);
    manager
      .controllerFor(Shop)
      .named("spoils")
      .complete({
        async reconcile({ namespace, name }) {
          if (!isFirst) await manager.client.delete(ConfigMap, { namespace, name }).catch(() => {});
        },
      });
  };
  const withMap: Promises = { eventually: { "has been seen": () => starts < 2 } };
  expect(await brokenBy(withMap, shopScenario(setup))).toEqual(["eventually: has been seen"]);
});

test("a date that is reached while nothing changes breaks a promise about it", async () => {
  const promises = (seconds: number): Promises => ({
    never: {
      "a shop is too old": ({ now, ...state }) =>
        state
          .list("Shop")
          .some(({ metadata }) => now - Date.parse(metadata.creationTimestamp!) > seconds * 1000),
    },
  });
  // Each step changes something only at its end, when the shop may be gone.
  const target = { apiVersion: "sim.dev/v1", kind: "Shop", namespace: "default", name: "a" };
  const steps: Step[] = [applyShop("a", { size: 1 }), { do: "delete", target, after: 20_000 }];
  expect(await brokenBy(promises(15), { steps })).toEqual(["never: a shop is too old"]);
  expect(await brokenBy(promises(25), { steps })).toEqual([]);
  const asked = await brokenBy({
    never: { "the date is real": ({ now }) => Math.abs(Date.now() - now) > 1000 },
  });
  expect(asked).toEqual([]);
});

test("a date that is reached in the hundred days breaks a promise, too", async () => {
  const expires: Promises = {
    never: {
      "a shop is older than a month": (state) =>
        state
          .list("Shop")
          .some(({ metadata }) => state.now - Date.parse(metadata.creationTimestamp!) > 31 * 86_400_000),
    },
  };
  expect(await brokenBy(expires)).toEqual(["never: a shop is older than a month"]);
});

interface Mail {
  readonly sent: string[];
}

const mail = external<Mail>({
  url: "http://mail/",
  state: () => ({ sent: [] }),
  leftover: () => [],
  async handle(request, { sent }) {
    sent.push(await request.text());
    return new Response();
  },
});

/** Sends a mail for each shop, and then notes in the status that it did. */
function sendMails(manager: Manager): void {
  manager.controllerFor(Shop).complete({
    async reconcile(request) {
      const shop = await manager.client.find(Shop, request, { live: true });
      if (!shop || shop.status?.size || shop.metadata.deletionTimestamp) return;
      await fetch("http://mail/", { method: "POST", body: shop.metadata.name });
      await manager.client.patchStatus(Shop, shop, { size: 1 });
    },
  });
}

test("an effect that must happen once is found when it happens twice, inside of the cluster or outside", async () => {
  const promises: Promises = {
    atMostOnce: {
      "a mail for each shop": (effect) => (effect.type === "fetch" ? effect.body : undefined),
      "a status for each size": (effect) =>
        effect.type === "update"
          ? effect.object.metadata.name + JSON.stringify((effect.object as Shop).status)
          : undefined,
      // What a user does twice is no promise of the operator.
      "a shop": (effect) =>
        effect.type === "create" && effect.object.kind === "Shop" ? effect.object.kind : undefined,
    },
  };
  const world = {
    ...shopScenario(sendMails),
    external: { mail },
    steps: [applyShop("a", { size: 1 }), applyShop("b", { size: 2 })],
  };
  expect(await brokenBy(promises, world)).toEqual([]);
  const died: Fault = { fault: "crash", process: "shop-0", call: 1, when: "at", down: 500 };
  expect(await brokenBy(promises, { ...world, faults: [died] })).toEqual([
    "atMostOnce: a mail for each shop (a)",
  ]);
});

test("an effect outside reaches the checks of the state that it leads to", async () => {
  const seen: unknown[] = [];
  await brokenBy(
    {
      never: {
        nothing: ({ external: states }, effect) => {
          if (effect?.type === "fetch") seen.push(effect, structuredClone(states));
          return false;
        },
      },
    },
    { ...shopScenario(sendMails), external: { mail }, steps: [applyShop("a", { size: 1 })] },
  );
  const sent = {
    type: "fetch",
    by: "shop-0",
    system: "mail",
    method: "POST",
    url: "http://mail/",
    body: "a",
  };
  expect(seen).toEqual([sent, { mail: { sent: ["a"] } }]);
});

type LeadsTo = NonNullable<Promises["leadsTo"]>;

const isMapped = (size: number): LeadsTo => ({
  mapped: {
    when: (state) => sizesOf(state.list("Shop")).includes(size),
    follows: (state: State) =>
      (state.list("ConfigMap") as ConfigMap[]).some(({ data }) => data?.["size"] === String(size)),
  },
});

test("what one thing must lead to is found missing when all rests", async () => {
  expect(await brokenBy({ leadsTo: isMapped(3) })).toEqual([]);
  const never = { mapped: { ...isMapped(3)["mapped"]!, follows: () => false } };
  expect(await brokenBy({ leadsTo: never })).toEqual(["leadsTo: mapped"]);
  // Nothing that it would have to follow from.
  expect(await brokenBy({ leadsTo: { mapped: { when: () => false, follows: () => false } } })).toEqual([]);
});

test("what follows in time is told from what follows too late", async () => {
  const steps = [applyShop("a", { size: 1 }), { ...waitFor(20_000) }];
  const waits = (within: string): Promises => ({
    leadsTo: {
      "a shop leads to a step": {
        within,
        each: (state) => state.list("Shop"),
        follows: (state, { metadata }) =>
          state.list("Shop").every((shop) => shop.metadata.uid !== metadata.uid) ||
          state.list("ConfigMap").some(({ metadata }) => metadata.name?.startsWith("after-")),
      },
    },
  });
  expect(await brokenBy(waits("30s"), { steps })).toEqual([]);
  expect(await brokenBy(waits("10s"), { steps })).toEqual([
    "leadsTo: a shop leads to a step (Shop.sim.dev/v1 default/a)",
  ]);
  // It begins again after a fault.
  const late: Fault = { fault: "hold", process: "shop-0", at: 5000, for: 10_000 };
  expect(await brokenBy(waits("10s"), { steps, faults: [late] })).toEqual([]);
  const again = [
    applyShop("a", { size: 1 }),
    { ...applyShop("a", { size: 2 }), after: 12_000 },
    waitFor(8000),
  ];
  const died: Fault = { fault: "crash", process: "shop-0", write: 3, when: "at", down: 10 };
  const alsoLater = waits("15s");
  expect(await brokenBy(alsoLater, { steps: again })).not.toEqual([]);
  expect(await brokenBy(alsoLater, { steps: again, faults: [died] })).toEqual([]);
});

test("what must follow from an object must follow although the object is gone", async () => {
  const target = { apiVersion: "sim.dev/v1", kind: "Shop", namespace: "default", name: "a" };
  const steps: Step[] = [applyShop("a", { size: 1 }), { do: "delete", target, after: 5000 }];
  const brokenFor = (leadsTo: LeadsTo): Promise<string[]> => brokenBy({ leadsTo }, { steps });
  const each = (state: State) => state.list("Shop");
  expect(
    await brokenFor({ gone: { each, follows: (state: State) => state.list("Shop").length === 0 } }),
  ).toEqual([]);
  expect(await brokenFor({ stays: { each, follows: () => false } })).toEqual([
    "leadsTo: stays (Shop.sim.dev/v1 default/a)",
  ]);
});

test("what a check throws ends the run", async () => {
  const thrown = (): never => {
    throw new Error("a mistake in the test");
  };
  for (const promises of [{ never: { thrown } }, { eventually: { thrown } }, { atMostOnce: { thrown } }])
    await expect(brokenBy(promises)).rejects.toThrow("a mistake in the test");
});
