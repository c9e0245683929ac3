import v8 from "node:v8";
import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import { expect, onTestFinished, test } from "vitest";
import {
  applyShop,
  setupShops,
  shopScenario,
  shopsThat,
} from "../../../e2e/support/simulation/simulated-shop.ts";
import type { Run, Scenario } from "../contract/index.ts";
import { simulate } from "./simulate.ts";
import { World } from "./world.ts";

const one: Scenario = { ...shopScenario(), steps: [applyShop("a", { size: 1 })] };

/** `queryObjects` came with Node 20.13, and stands in no table of types yet. */
const { queryObjects } = v8 as unknown as { queryObjects: (this: void, kind: object) => number };

const livesOf = ({ trace }: Run): string[] =>
  trace.flatMap(({ type }) => (type === "start" || type === "died" ? [type] : []));

test("a run that is over leaves no world in memory", async () => {
  const before = queryObjects(World);
  for (let seed = 0; seed < 4; seed++) await simulate({ ...one, seed });
  // The last one may still be on the stack.
  expect(queryObjects(World) - before).toBeLessThan(2);
});

test("a watch ends when its signal is aborted", async () => {
  const seen: string[] = [];
  const watch = shopsThat(async ({ client }) => {
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 1000);
    try {
      for await (const { type } of client.watch(ConfigMap, { namespace: "default", signal: abort.signal }))
        seen.push(type);
    } finally {
      seen.push("over");
    }
  });
  const run = await simulate({ ...one, operators: [{ name: "shop", setup: watch }] });
  expect(seen).toContain("over");
  expect(run.trace.filter((event) => event.type === "phase" && !event.rests)).toEqual([]);
});

test("a process that loses its lease ends, and starts again", async () => {
  const operators = [{ name: "shop", setup: setupShops, replicas: 2 }];
  const { trace } = await simulate({ ...one, operators });
  const leader = trace.flatMap((event) => (event.type === "leads" ? [event.process] : []))[0]!;
  const cut = { fault: "cut", process: leader, at: 3000, for: 60_000 } as const;
  const run = await simulate({ ...one, operators, faults: [cut] });
  const lives = run.trace.filter((event) => "process" in event && event.process === leader);
  expect(lives.flatMap(({ type }) => (type === "start" || type === "died" ? [type] : []))).toEqual([
    "start",
    "died",
    "start",
  ]);
});

test("many requests with one signal are no leak", async () => {
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on("warning", note);
  onTestFinished(() => void process.off("warning", note));
  const ask = shopsThat(async ({ client }) => {
    const { signal } = new AbortController();
    for (let at = 0; at < 20; at++) await client.with({ live: true }).list(ConfigMap, { signal });
  });
  await simulate({ ...one, operators: [{ name: "shop", setup: ask }] });
  expect(warnings).toEqual([]);
});

test("a process that dies twice at once starts once", async () => {
  const setup: typeof setupShops = (manager) => {
    for (const name of ["x", "y"])
      manager
        .controllerFor(ConfigMap)
        .named(name)
        .complete({
          async reconcile({ namespace, name: key }) {
            if (!key.startsWith("work")) return;
            await manager.client.patch(
              ConfigMap,
              { namespace, name: key },
              { merge: { data: { [name]: "1" } } },
            );
          },
        });
  };
  const object = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace: "default", name: "work" },
  };
  const crash = { fault: "crash", process: "shop-0", when: "at" } as const;
  for (let seed = 1; seed < 8; seed++) {
    const run = await simulate({
      operators: [{ name: "shop", setup }],
      steps: [{ do: "apply", object }],
      faults: [
        { ...crash, write: 1, down: 500 },
        { ...crash, write: 2, down: 900 },
      ],
      seed,
    });
    const lives = livesOf(run);
    expect(lives).toEqual(lives.map((_, at) => (at % 2 === 0 ? "start" : "died")));
  }
});
