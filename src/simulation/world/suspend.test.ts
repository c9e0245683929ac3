import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import { expect, test } from "vitest";
import { applyShop, shopScenario, shopsThat } from "../../../e2e/support/simulation/simulated-shop.ts";
import type { Scenario, Step } from "../contract/index.ts";
import { drawFaults } from "../explore/draw-faults.ts";
import { Random } from "@tsbuilder/apimachinery/sample";
import { simulate } from "./simulate.ts";

const one: Scenario = { ...shopScenario(), steps: [applyShop("a", { size: 1 })] };
const process = "shop-0";

test("nothing in a process runs while it stands still, and nothing reaches it; then everything comes in order", async () => {
  let came: Array<readonly [what: string, at: number]> = [];
  const setup = shopsThat(async ({ client }, { metadata: { namespace, name }, spec: { size } }) => {
    const note = (what: string) => (): void => void came.push([what, Math.floor(performance.now())]);
    setTimeout(note("late"), 6000);
    const cancelled = setTimeout(note("cancelled"), 4000);
    setTimeout(() => {
      note("early")();
      clearTimeout(cancelled);
    }, 3000);
    const data = { size: String(size) };
    await client.apply(ConfigMap, { metadata: { namespace, name }, data }, { force: true });
    note("answer")();
  });
  const scenario = { ...one, operators: [{ name: "shop", setup }] };
  const { trace } = await simulate(scenario);
  const { at } = trace.find((event) => event.type === "request" && event.method === "PATCH")!;
  came = [];
  const run = await simulate({
    ...scenario,
    faults: [{ fault: "suspend", process, at: at + 0.1, for: 20_000 }],
  });
  const end = Math.floor(at + 20_000.1);
  expect(came.slice(0, 3)).toEqual([
    ["answer", end],
    ["early", end],
    ["late", end],
  ]);
  expect(run.state.list("ConfigMap")).toMatchObject([{ data: { size: "1" } }]);
});

test("a process that died while it stood still starts again at once", async () => {
  const { trace } = await simulate(one);
  const { at } = trace.find((event) => event.type === "request" && event.method === "PATCH")!;
  const run = await simulate({
    ...one,
    faults: [
      { fault: "crash", process, write: 1, when: "at", down: 1000 },
      { fault: "suspend", process, at: at - 1, for: 100_000 },
    ],
  });
  const died = run.trace.find(({ type }) => type === "died")!;
  const next = run.trace.find((event) => event.type === "request" && event.at > died.at)!;
  expect(next.at - died.at).toBeLessThan(5000);
});

test("a leader that stood still for longer than its lease repeats no write, and ends", async () => {
  const operators = one.operators.map((operator) => ({ ...operator, replicas: 2 }));
  const steps = [...(one.steps ?? []), { ...applyShop("a", { size: 2 }), after: 25_000 } as Step];
  const scenario: Scenario = { ...one, operators, steps };
  const plain = await simulate(scenario);
  const { process: leader } = plain.trace.find(({ type }) => type === "leads") as {
    readonly process: string;
  };
  const { at } = plain.trace.find((event) => event.type === "request" && event.method === "PATCH")!;
  const { trace } = await simulate({
    ...scenario,
    faults: [
      { fault: "refuse", process: leader, request: 2, with: "too-many", done: false },
      { fault: "suspend", process: leader, at: at + 500, for: 40_000 },
    ],
  });
  const lives = trace.flatMap((event) =>
    event.type === "leads" || event.type === "died" ? [[event.type, event.process === leader]] : [],
  );
  expect(lives).toEqual([
    ["leads", true],
    ["leads", false],
    ["died", true],
  ]);
  expect(trace.filter((event) => event.type === "change" && event.by === leader)).toEqual([]);
  expect(trace).toContainEqual(
    expect.objectContaining({ type: "fault", text: `${leader} stands still for 40000 ms` }),
  );
});

test("some processes stand still", async () => {
  const plain = await simulate(one);
  const drawn = Array.from({ length: 100 }, (_, seed) => drawFaults(new Random(seed), plain)).flat();
  expect(drawn.map((fault) => fault.fault)).toContain("suspend");
});
