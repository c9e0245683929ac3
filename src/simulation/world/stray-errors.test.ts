import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import { expect, test } from "vitest";
import type { Shop } from "../../../e2e/support/simulation/simulated-shop.ts";
import { applyShop, shopScenario, shopsThat } from "../../../e2e/support/simulation/simulated-shop.ts";
import type { Run } from "../contract/index.ts";
import { simulate } from "./simulate.ts";

/** The runs of operators whose errors nobody catches. */
async function runOf(work: Parameters<typeof shopsThat>[0]): Promise<Run> {
  return simulate({ ...shopScenario(shopsThat(work)), steps: [applyShop("a", { size: 1 })] });
}

const errorsOf = ({ trace }: Run): Array<string | undefined> =>
  trace.flatMap((event) => (event.type === "log" && event.level === "error" ? [event.error] : []));

const boom = (): never => {
  throw new Error("boom");
};

/** Does it for the first shop in the first life of the process. */
function once(work: () => void): (manager: unknown, shop: Shop) => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}

test.each([
  ["setTimeout", () => setTimeout(boom, 100)],
  ["setImmediate", () => setImmediate(boom)],
] as const)("an error in a callback of %s ends the process, which starts again", async (_, work) => {
  const run = await runOf(once(work));
  expect(errorsOf(run)).toEqual(["boom"]);
  const lives = run.trace.flatMap(({ type }) => (type === "start" || type === "died" ? [type] : []));
  // The last two restarts are those of every run without faults.
  expect(lives).toEqual(["start", "died", "start", "died", "start", "died", "start"]);
});

test("a rejection that nobody handles is logged, and the process lives on", async () => {
  const run = await runOf(({ client }) => {
    void client.with({ live: true }).get(ConfigMap, { namespace: "default", name: "missing" });
  });
  expect(errorsOf(run).join()).toContain("missing");
  expect(run.trace.filter(({ type }) => type === "died")).toHaveLength(2);
});

test("time moves on while code polls", async () => {
  let turns = 0;
  await runOf(async () => {
    setTimeout(() => {}, 100);
    for (const end = Date.now() + 100; Date.now() < end; turns++)
      await new Promise((resolve) => setImmediate(resolve));
  });
  expect(turns).toBeGreaterThan(100);
});
