import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Manager } from "@tsbuilder/runtime";
import { Shop, setupShops, shopScenario } from "../../../e2e/support/simulation/simulated-shop.ts";
import { simulate } from "./simulate.ts";

const scenario = shopScenario();

test("an operator reaches the desired state, and the trace says how", async () => {
  const { state, trace, writes } = await simulate(scenario);
  expect(state.objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
    "ConfigMap a",
    "Shop a",
  ]);
  expect(state.list("ConfigMap")[0]).toMatchObject({ data: { size: "3" } });
  expect(state.list("Shop")[0]).toMatchObject({ status: { size: 3, observedGeneration: 2 } });
  expect(trace.filter(({ type }) => type === "log")).toEqual([]);
  expect(writes["shop-0"]).toBeGreaterThanOrEqual(2);
});

/** The traces of some seeds, in short. */
async function hashOf(seeds: readonly number[]): Promise<string> {
  const hash = createHash("sha256");
  for (const seed of seeds) hash.update(JSON.stringify((await simulate({ ...scenario, seed })).trace));
  return hash.digest("hex");
}

test("the same seed gives the same trace, and other seeds give others", async () => {
  const seeds = Array.from({ length: 10 }, (_, at) => at);
  expect(await hashOf(seeds)).toBe(await hashOf(seeds));
  const traces = await Promise.all(seeds.map((seed) => hashOf([seed])));
  expect(new Set(traces).size).toBe(seeds.length);
});

describe("code of an operator", () => {
  const run = async (work: () => unknown): Promise<string[]> => {
    const setup = (manager: Manager): void => {
      setupShops(manager);
      manager
        .controllerFor(Shop)
        .named("work")
        .complete({ reconcile: async () => void (await work()) });
    };
    const { trace } = await simulate(shopScenario(setup));
    return trace.flatMap((event) => (event.type === "log" ? [event.error ?? event.message] : []));
  };

  test("sees the time, the chance and the machine of the simulation", async () => {
    const seen: unknown[] = [];
    const look = async (): Promise<void> => {
      const started = Date.now();
      await new Promise((resolve) => setTimeout(resolve, 60_000));
      seen.push([new Date().getUTCFullYear(), Date.now() - started, Math.random(), crypto.randomUUID()]);
    };
    await run(look);
    const first = seen.splice(0);
    await run(look);
    expect(first.length).toBeGreaterThan(0);
    expect((first[0] as unknown[]).slice(0, 2)).toEqual([2030, 60_000]);
    expect(seen).toEqual(first);
    expect(new Date().getUTCFullYear()).not.toBe(2030);
  });

  test.each([
    [
      "a child process",
      async () => (await import("node:child_process")).spawn("true"),
      "child_process.spawn()",
    ],
    [
      "a file",
      async () => (await import("node:fs/promises")).writeFile("/nowhere/x", ""),
      "fs.promises.writeFile()",
    ],
  ])("is refused %s by name", async (_, work, expected) => {
    expect((await run(work)).join("\n")).toContain(expected);
  });
});
