import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { shopScenario } from "../../../e2e/support/simulation/simulated-shop.ts";
import { baseOf } from "./base.ts";
import { managerLife, WatchFeed } from "./network.ts";
import { World } from "./world.ts";

test("events arrive in order, also those that are held until one moment", async () => {
  const scenario = shopScenario();
  // Sums of these fractions differ in their last digits.
  const hold = { fault: "hold", process: "shop-0", at: 0, for: 5104.4567 } as const;
  const world = new World({ ...scenario, faults: [hold] }, await baseOf(scenario), managerLife);
  const source = new Readable({ read: () => {} });
  const feed = new WatchFeed(world, world.replicas[0]!, "/api/v1/configmaps", source);
  const names = Array.from({ length: 300 }, (_, at) => `${at}`);
  for (const [at, name] of names.entries())
    world.loop.after(at * 11.31, () =>
      source.push(`{"type":"ADDED","object":{"metadata":{"name":"${name}"}}}\n`),
    );
  while (await world.loop.step()) await world.loop.drain();
  const seen = world.recorder.trace.flatMap((event) => (event.type === "watch" ? [event.key] : []));
  expect(seen).toEqual(names);
  feed.abandon();
});
