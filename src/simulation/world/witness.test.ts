import { isDeepStrictEqual } from "node:util";
import type { Manager } from "@tsbuilder/runtime";
import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import { expect, test } from "vitest";
import { applyShop, Shop, shopScenario, shopsThat } from "../../../e2e/support/simulation/simulated-shop.ts";
import { external, type Scenario } from "../contract/index.ts";
import { simulate, simulateBefore } from "./simulate.ts";
import { Witness } from "./witness.ts";

const mail = external({
  state: () => ({ sent: 0 }),
  handle: (_, state) => new Response(String(state.sent++)),
});

/** Each line that calls something ends with the name that the test gives it. */
const setup = shopsThat(async ({ client }, shop) => {
  const metadata = { namespace: shop.metadata.namespace, name: shop.metadata.name };
  await client.apply(ConfigMap, { metadata, data: {} }, { owner: shop, force: true }); // applies
  if (shop.status?.size === undefined) await fetch("http://mail/", { method: "POST" }); // mails
  await client.patchStatus(Shop, shop, { size: shop.spec.size }); // notes
  if (shop.spec.size === 2) throw new Error("no"); // throws
});

const scenario: Scenario = {
  ...shopScenario(setup),
  external: { mail },
  steps: [applyShop("a", { size: 1 }), applyShop("a", { size: 2 })],
  seed: 4,
};

/** Returns the lines of this file that events of a kind come from, by the names at their ends. */
async function linesOf(witness: Witness, type: string): Promise<(string | undefined)[]> {
  const { readFileSync } = await import("node:fs");
  const lines = readFileSync(import.meta.filename, "utf8").split("\n");
  const sites = witness.moments.flatMap(({ event, site }) => (event.type === type ? [site?.[0]] : []));
  return [...new Set(sites)].map((site) => {
    const [, line = 0] = /^src\/simulation\/world\/witness\.test\.ts:(\d+):\d+$/.exec(site ?? "") ?? [];
    return site && (/\/\/ (\w+)$/.exec(lines[Number(line) - 1]!)?.[1] ?? site);
  });
}

test("a witness sees the line that wrote, called or threw, and changes nothing in the run", async () => {
  const witness = new Witness();
  const run = await simulate(scenario);
  expect(isDeepStrictEqual(run.trace, (await simulateBefore(witness, scenario, run)).trace)).toBe(true);
  expect(await linesOf(witness, "request")).toEqual(["applies", "notes"]);
  expect((await linesOf(witness, "change")).filter(Boolean)).toEqual(["applies", "notes"]);
  expect(await linesOf(witness, "call")).toEqual(["mails"]);
  expect(await linesOf(witness, "log")).toEqual(["throws"]);
});

test("a witness sees reconciles begin and end", async () => {
  const witness = new Witness();
  await simulateBefore(witness, { ...scenario, steps: [applyShop("a", { size: 2 })] });
  const reconciles = witness.moments.flatMap(({ event }) => (event.type === "reconcile" ? [event] : []));
  expect(reconciles.slice(0, 2)).toMatchObject([
    { process: "shop-0", controller: "shop", request: "default/a", outcome: undefined },
    { process: "shop-0", controller: "shop", request: "default/a", outcome: "error" },
  ]);
});

test("what the runtime writes by itself has no line", async () => {
  const finalized = (manager: Manager): void =>
    void manager
      .controllerFor(Shop)
      .finalizer("example.com/mail", async () => {})
      .complete({
        reconcile: async (request) => void (await manager.client.find(Shop, request, { live: true })),
      });
  const witness = new Witness();
  await simulateBefore(witness, { ...shopScenario(finalized), steps: [applyShop("a", { size: 1 })] });
  const writes = witness.moments.filter(({ event }) => event.type === "change" && event.by === "shop-0");
  expect(writes.map(({ site }) => site)).toEqual([undefined]);
});
