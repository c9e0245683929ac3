import { isDeepStrictEqual } from "node:util";
import { interceptClient, type Manager } from "@tsbuilder/runtime";
import { expect, test } from "vitest";
import { applyShop, Shop, shopScenario } from "../../../e2e/support/simulation/simulated-shop.ts";
import type { CallFault, ExternalSystem, Fault, Run, Scenario } from "../contract/index.ts";
import { external } from "../contract/index.ts";
import { examineScenario, explore } from "../explore/explore.ts";
import { simulate } from "./simulate.ts";

const url = "http://dns.example.com/records/";

interface Dns {
  readonly records: Map<string, { size: number }>;
}

/** A DNS server that keeps a record for each shop. */
const system: ExternalSystem<Dns> = {
  state: () => ({ records: new Map() }),
  url,
  async handle(request, { records }) {
    const name = request.url.slice(url.length);
    if (request.method === "DELETE") return new Response("", { status: records.delete(name) ? 200 : 404 });
    records.set(name, (await request.json()) as { size: number });
    return Response.json({}, { status: 201 });
  },
};

const dns = external(system);

/** Keeps the record of each shop, and notes in the status that there is one. */
function keepRecords(manager: Manager, isClean = true): void {
  const { client } = manager;
  const controller = manager.controllerFor(Shop);
  const call = async (method: string, name: string, body?: object): Promise<void> => {
    const response = await fetch(`${url}${name}`, { method, ...(body && { body: JSON.stringify(body) }) });
    if (!response.ok && response.status !== 404) throw new Error(`${method}: ${response.status}`);
    if (method === "PUT") await response.json();
  };
  if (isClean)
    controller.finalizer("example.com/record", ({ metadata }) =>
      call("DELETE", metadata.name).then(() => {}),
    );
  controller.complete({
    async reconcile(request) {
      const shop = await client.find(Shop, request, { live: true });
      if (!shop || shop.metadata.deletionTimestamp) return;
      const { size } = shop.spec;
      if (shop.status?.size === size) return;
      await call("PUT", request.name, { size });
      await client.patchStatus(Shop, shop, { size });
    },
  });
}

const scenarioOf = (setup: (manager: Manager) => void, more: Partial<Scenario> = {}): Scenario => ({
  ...shopScenario(setup),
  external: { dns },
  steps: [applyShop("a", { size: 1 })],
  ...more,
});

const right = scenarioOf((manager) => keepRecords(manager));

const callsOf = ({ trace }: Run): string[] =>
  trace.flatMap((event) => (event.type === "call" ? [`${event.text} ${event.status ?? "-"}`] : []));

test("each run begins with a state of its own, which its outcome and its end show", async () => {
  for (const run of [await simulate(right), await simulate(right)]) {
    expect(run.state.external).toEqual({ dns: { records: new Map([["a", { size: 1 }]]) } });
    expect(callsOf(run)).toEqual([`PUT ${url}a 201`, `DELETE ${url}a 200`]);
    expect(run.leftOutside).toEqual([]);
  }
});

test.each([
  ["refused", false],
  ["reset", false],
  ["reset", true],
  ["time-out", false],
  ["time-out", true],
  ["too-many", false],
  ["error", false],
  ["error", true],
  ["garbage", false],
  ["garbage", true],
  ["slow", true],
] as const)(
  "a call that ends with %s, done %s, is made again by an operator that retries",
  async (how, done) => {
    const fault: CallFault = { fault: "call", process: "shop-0", call: 1, with: how, done };
    const run = await simulate({ ...right, faults: [fault] });
    expect(run.state.external).toEqual({ dns: { records: new Map([["a", { size: 1 }]]) } });
    const puts = callsOf(run).filter((call) => call.startsWith("PUT"));
    expect(puts.filter((call) => call.endsWith(" 201"))).toHaveLength(done && how !== "slow" ? 2 : 1);
    expect(run.leftOutside).toEqual([]);
  },
);

test("all calls of a kind fail for a while, in the phase that the fault names", async () => {
  const fault = { fault: "call", process: "shop-0", with: "error", done: false, at: 0, for: 5000 } as const;
  const run = await simulate({
    ...right,
    faults: [{ ...fault, calls: "DELETE dns", in: "deletion" }],
  });
  const [put, ...deletes] = callsOf(run);
  expect(put).toBe(`PUT ${url}a 201`);
  expect(deletes.length).toBeGreaterThan(2);
  expect(deletes.slice(0, -1).every((call) => call === `DELETE ${url}a 500`)).toBe(true);
  expect(run.leftOutside).toEqual([]);
});

test("a cleanup that takes more than what the operator made is found", async () => {
  const withMail = (remove: (name: string, records: Dns["records"]) => void): Scenario => ({
    ...right,
    external: {
      dns: external<Dns>({
        ...system,
        state: () => ({ records: new Map([["mail", { size: 0 }]]) }),
        handle(request, state, pods) {
          if (request.method !== "DELETE") return system.handle!(request, state, pods);
          remove(request.url.slice(url.length), state.records);
          return new Response("");
        },
      }),
    },
  });
  const failure = await examineScenario(withMail((_, records) => records.clear()));
  expect(failure?.verdict).toMatchObject({ class: "foreign-object", objects: ["records.external dns/mail"] });
  expect(await examineScenario(withMail((name, records) => records.delete(name)))).toBeUndefined();
});

test("what a system forgets by itself before the deletion isn't lost by a cleanup", async () => {
  const day = 86_400_000;
  const setup = (manager: Manager): void =>
    void manager.controllerFor(Shop).complete({
      async reconcile({ name }) {
        await fetch(`${url}${name}`, { method: "GET" });
        return { requeueAfter: "720h" };
      },
    });
  const forgetful = external<Dns>({
    ...system,
    state: () => ({ records: new Map([["mail", { size: Date.now() + 50 * day }]]) }),
    handle(_, { records }) {
      for (const [name, { size }] of records) if (size < Date.now()) records.delete(name);
      return new Response("");
    },
  });
  const run = await simulate(scenarioOf(setup, { external: { dns: forgetful } }));
  expect(run.lostOutside).toEqual([]);
});

test("a cleanup that takes the answer of a failure for success is found", async () => {
  const setup = (manager: Manager): void =>
    void manager
      .controllerFor(Shop)
      .finalizer("example.com/record", async ({ metadata }) => {
        await fetch(`${url}${metadata.name}`, { method: "DELETE" });
      })
      .complete({
        async reconcile(request) {
          const shop = await manager.client.find(Shop, request, { live: true });
          if (!shop || shop.metadata.deletionTimestamp) return;
          const response = await fetch(`${url}${request.name}`, {
            method: "PUT",
            body: JSON.stringify({ size: shop.spec.size }),
          });
          if (!response.ok) throw new Error(`PUT: ${response.status}`);
        },
      });
  const { failure } = await explore(scenarioOf(setup), { seeds: 40 });
  expect(failure?.verdict).toMatchObject({ class: "unretried", objects: ["records.external dns/a"] });
});

test.each([
  ["before", 1],
  ["at", 2],
  ["after", 1],
] as const)("a process that dies %s its call has made it %d times in the end", async (when, times) => {
  const fault: Fault = { fault: "crash", process: "shop-0", call: 1, when, down: 500 };
  const run = await simulate({ ...right, faults: [fault] });
  expect(callsOf(run).filter((call) => call.startsWith("PUT"))).toHaveLength(times);
  expect(run.diedAt).toEqual(["shop: PUT dns"]);
});

test("a process that died makes no further call", async () => {
  const setup = (manager: Manager): void =>
    void manager.controllerFor(Shop).complete({
      async reconcile(request) {
        const { name } = request;
        await manager.client.find(Shop, request, { live: true });
        await fetch(`${url}${name}`, { method: "PUT", body: "{}" });
        await fetch(`${url}${name}-2`, { method: "PUT", body: "{}" });
      },
    });
  const fault: Fault = { fault: "crash", process: "shop-0", call: 1, when: "at", down: 300_000 };
  const run = await simulate({ ...scenarioOf(setup), faults: [fault] });
  const died = run.trace.findIndex(({ type }) => type === "died");
  const again = run.trace.findIndex(({ type }, at) => at > died && type === "start");
  expect(run.trace.slice(died, again).filter(({ type }) => type === "call")).toEqual([]);
});

test("code of a process that died runs no further command", async () => {
  const commands: string[] = [];
  let proceed = (): void => {};
  const survived = new Promise<void>((resolve) => {
    proceed = resolve;
  });
  const containers = external({
    state: () => [],
    exec: ({ command }) => {
      commands.push(command.join(" "));
      // After the death, but before the process starts again.
      setTimeout(proceed, 1000);
      return {};
    },
  });
  const scenario = scenarioOf(
    (manager) =>
      void manager.controllerFor(Shop).complete({
        async reconcile(request) {
          if (commands.length > 0) return;
          void survived.then(() => manager.client.exec(request, ["second"]));
          await manager.client.exec(request, ["first"]);
        },
      }),
    { external: { containers } },
  );
  const fault: Fault = { fault: "crash", process: "shop-0", call: 1, when: "at", down: 5000 };
  await simulate({ ...scenario, faults: [fault] });
  expect(commands).toEqual(["first"]);
});

test("the seed decides what a state begins with", async () => {
  const drawing = external({ state: () => ({ token: Math.random(), at: Date.now() }) });
  const [one, other] = [1, 1].map(() =>
    simulate({ ...scenarioOf(() => {}), external: { drawing }, steps: [] }),
  );
  expect((await one)!.state.external).toEqual((await other)!.state.external);
});

test("a command is answered by the operator's own stand-in, and goes on from there", async () => {
  const commands: string[] = [];
  const containers = external({
    state: () => null,
    exec: ({ command, pod }) => ({ stdout: `${command.join(" ")} in ${pod}` }),
  });
  const scenario = scenarioOf(
    (manager) =>
      void manager.controllerFor(Shop).complete({
        async reconcile(request) {
          for (const command of ["own", "other"])
            commands.push((await manager.client.exec(request, [command])).stdout);
        },
      }),
    { external: { containers } },
  );
  const wrap = (client: Manager["client"]): Manager["client"] =>
    interceptClient(client, {
      exec: async (call, next) =>
        isDeepStrictEqual(call.args[1], ["own"]) ? { exitCode: 0, stdout: "own", stderr: "" } : next(call),
    });
  const [operator] = scenario.operators;
  const operators = [{ ...operator!, manager: { client: { wrap } } }];
  await simulate({ ...scenario, operators });
  expect(commands.slice(0, 2)).toEqual(["own", "other in a"]);
});

test("a process that died gets no answer to an earlier call", async () => {
  const answered: number[] = [];
  let lives = 0;
  const setup = (manager: Manager): void => {
    const life = ++lives;
    manager.controllerFor(Shop).complete({
      async reconcile({ name }) {
        const put = (suffix: string): Promise<Response> =>
          fetch(`${url}${name}${suffix}`, { method: "PUT", body: "{}" });
        await Promise.all([put("-slow").then(() => answered.push(life)), put("")]);
      },
    });
  };
  await simulate({
    ...scenarioOf(setup),
    faults: [
      { fault: "call", process: "shop-0", call: 1, with: "slow", done: true },
      { fault: "crash", process: "shop-0", call: 2, when: "at", down: 500 },
    ],
  });
  expect(answered.length).toBeGreaterThan(0);
  expect(answered).not.toContain(1);
});

test("a call ends when its signal is aborted", async () => {
  const ends: string[] = [];
  const setup = (manager: Manager): void =>
    void manager.controllerFor(Shop).complete({
      async reconcile({ name }) {
        const signal = AbortSignal.timeout(2000);
        await fetch(`${url}${name}`, { method: "PUT", body: "{}", signal }).catch((error: Error) =>
          ends.push(error.name),
        );
      },
    });
  const fault: Fault = { fault: "call", process: "shop-0", call: 1, with: "time-out", done: false };
  await simulate({ ...scenarioOf(setup), faults: [fault] });
  expect(ends).toEqual(["TimeoutError"]);
});

test("a call without an answer is recorded when the process stops waiting", async () => {
  const setup = (manager: Manager): void =>
    void manager.controllerFor(Shop).complete({
      async reconcile({ name }) {
        await fetch(`${url}${name}`, { method: "PUT", body: "{}", signal: AbortSignal.timeout(45_000) });
      },
    });
  const fault: Fault = { fault: "call", process: "shop-0", call: 1, with: "time-out", done: false };
  const { trace } = await simulate({ ...scenarioOf(setup), faults: [fault] });
  const [lost, error] = ["call", "log"].map((wanted) => trace.find(({ type }) => type === wanted)!.at);
  expect(lost).toBe(error);
});

test("a call whose stand-in throws is recorded", async () => {
  let isBroken = true;
  const broken = external<Dns>({
    ...system,
    handle(request, state, pods) {
      state.records.set("a", { size: 0 });
      if (!isBroken) return system.handle!(request, state, pods);
      isBroken = false;
      throw new Error("a mistake in the stand-in");
    },
  });
  const run = await simulate({ ...right, external: { dns: broken } });
  expect(callsOf(run)).toEqual([`PUT ${url}a -`, `PUT ${url}a 201`, `DELETE ${url}a 200`]);
});

test("what is left in a system after the deletion is a mistake, but for what may stay", async () => {
  const careless = scenarioOf((manager) => keepRecords(manager, false));
  const { failure } = await explore(careless, { seeds: 1 });
  expect(failure?.verdict).toMatchObject({
    class: "leftover",
    message: "after the deletion, records.external dns/a is left",
  });
  const kept = {
    ...careless,
    mayStay: ({ apiVersion }: { apiVersion: string }) => apiVersion === "external",
  };
  expect((await simulate(kept)).leftOutside).toEqual([]);
  const named = external<Dns>({ ...system, leftover: ({ records }) => [...records.keys()] });
  expect((await simulate({ ...careless, external: { dns: named } })).leftOutside).toEqual(["a (in dns)"]);
});

test.each([
  ["a text beside a number", () => ({ calls: 0 }), "state.external dns/a"],
  ["a text in an object", () => ({ calls: 0, texts: {} }), "texts.external dns/a"],
  ["an empty object", () => ({}), "state.external dns/empty"],
  ["another text in a list", () => ({ list: ["a"] }), "list.external dns/a"],
  ["another object in a list", () => ({ list: [{ id: 0 }] }), "list.external dns/item"],
])("%s is left over, and only that", async (_, state, left) => {
  interface Anything {
    [name: string]: unknown;
    readonly texts?: Record<string, string>;
    readonly list?: unknown[];
  }
  const run = await simulate({
    ...scenarioOf(
      (manager) =>
        void manager.controllerFor(Shop).complete({
          async reconcile({ name }) {
            await fetch(url + name, { method: "PUT" });
          },
        }),
    ),
    external: {
      dns: external<Anything>({
        state,
        handle(_request, held) {
          if (held.texts) held.texts["a"] = "text";
          else if (held.list?.length === 1) held.list.push(held.list[0] === "a" ? "a" : { id: 1 });
          else if (held["calls"] === 0) held["a"] = "text";
          else if (!held.list) held["empty"] = {};
          return new Response();
        },
      }),
    },
  });
  expect(run.leftOutside).toEqual([left]);
});

test("what belongs to an object that was there from the start, and still is, is not left over", async () => {
  const shop = { apiVersion: "sim.dev/v1", kind: "Shop", spec: { size: 1 } };
  const objects = ["old", "gone"].map((name) => ({ ...shop, metadata: { namespace: "default", name } }));
  const target = { ...shop, namespace: "default", name: "gone" };
  const steps: Scenario["steps"] = [applyShop("a", { size: 1 }), { do: "delete", target, after: 20_000 }];
  expect((await simulate({ ...right, objects, steps })).leftOutside).toEqual([]);
  const careless = scenarioOf((manager) => keepRecords(manager, false), { objects, steps });
  expect((await simulate(careless)).leftOutside.toSorted()).toEqual([
    "records.external dns/a",
    "records.external dns/gone",
  ]);
});

test("a system that changes when it is read is no work of the operator that reads it", async () => {
  const clock = external({
    state: () => ({ reads: 0 }),
    handle(_request, state) {
      state.reads++;
      return new Response();
    },
  });
  const setup = (manager: Manager): void =>
    void manager.controllerFor(Shop).complete({ reconcile: async () => void (await fetch(url)) });
  const scenario = scenarioOf(setup, { external: { clock }, mayDiffer: () => true });
  expect((await examineScenario(scenario))?.verdict).toBeUndefined();
});

test("an effect that a second call doubles is found, and so is an error that is swallowed", async () => {
  const mail = external({
    state: () => ({ sent: [] as string[] }),
    leftover: () => [],
    handle: async (request, { sent }) => {
      sent.push(await request.text());
      return new Response();
    },
  });
  const sending =
    (isCareful: boolean) =>
    (manager: Manager): void =>
      void manager.controllerFor(Shop).complete({
        async reconcile(request) {
          const shop = await manager.client.find(Shop, request, { live: true });
          if (!shop || shop.status?.size) return;
          const { ok } = await fetch("http://mail/", { method: "POST", body: shop.metadata.name });
          if (!ok && isCareful) throw new Error("the mail was not taken");
          await manager.client.patchStatus(Shop, shop, { size: 1 });
        },
      });
  const found = async (isCareful: boolean, faults: readonly Fault[]): Promise<string | undefined> => {
    const scenario = { ...scenarioOf(sending(isCareful)), external: { mail } };
    return (await examineScenario({ ...scenario, faults }))?.verdict.class;
  };
  expect(await found(true, [{ fault: "crash", process: "shop-0", call: 1, when: "at", down: 500 }])).toBe(
    "interrupted",
  );
  const refused = { fault: "call", process: "shop-0", call: 1, with: "error", done: false } as const;
  expect(await found(false, [refused])).toBe("unretried");
});
