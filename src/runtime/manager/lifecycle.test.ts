import { FakeClock, settled } from "@tsbuilder/apimachinery/time";
import { expect, test } from "vitest";
import type { ObjectCache } from "../cache/cache.ts";
import { silentLogger } from "../testing/reconcile-context.ts";
import { Lifecycle } from "./lifecycle.ts";

const service = { start: async () => {}, stop: async () => {} };

test("what is added while another process leads is warmed up at once, and runs when this one leads", async () => {
  const seen: string[] = [];
  let lead = (): void => {};
  const lifecycle = new Lifecycle({
    log: silentLogger,
    clock: new FakeClock(),
    prepare: async () => {},
    servers: [],
    webhooks: service,
    cache: { start() {}, synced: async () => {}, stop: async () => {} } as unknown as ObjectCache,
    elector: {
      acquire: () => new Promise((resolve) => (lead = resolve)),
      onLost: () => {},
      release: async () => {},
    },
    events: service,
    gracefulShutdownTimeout: 0,
  });
  const run = lifecycle.run();
  const add = (name: string): void =>
    lifecycle.add({
      name,
      start: () => void seen.push(`${name} runs`),
      warmUp: async () => void seen.push(`${name} is warm`),
    });
  add("before");
  await settled();
  add("late");
  await settled();
  expect(seen).toEqual(["before is warm", "late is warm"]);
  lead();
  await lifecycle.started;
  expect(seen.slice(2)).toEqual(["before runs", "late runs"]);
  lifecycle.stop();
  await run;
});
