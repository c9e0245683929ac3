/**
 * An operator that has just been restarted: each reconcile reads the cache, finds everything as desired, and writes
 * nothing. `WORK` milliseconds of computing and `READS` reads a reconcile; `RUNTIME` is the runtime's `index.ts` of
 * another checkout. It leads, answers probes, and says when all objects were reconciled.
 */
import type * as runtime from "@tsbuilder/runtime";
import { Counter } from "../side-by-side/counters.ts";

const { Manager } = (await import(process.env["RUNTIME"] ?? "@tsbuilder/runtime")) as typeof runtime;
const number = (name: string): number => Number(process.env[name]);
const [objects, workers, work, reads] = ["OBJECTS", "WORKERS", "WORK", "READS"].map(number) as [
  number,
  number,
  number,
  number,
];

const manager = Manager.fromArgs({
  name: "bench",
  leaderElectionId: "bench",
  argv: ["--leader-elect", "--leader-election-namespace=default", "--health-probe-bind-address=127.0.0.1:0"],
});
let left = objects;
let start: { readonly at: number; readonly processor: NodeJS.CpuUsage } | undefined;
manager
  .controllerFor(Counter)
  .withOptions({ maxConcurrentReconciles: workers })
  .complete({
    async reconcile(request) {
      if (!start) {
        start = { at: performance.now(), processor: process.cpuUsage() };
        process.send!({ began: true, probes: manager.addresses.probes });
      }
      for (let read = 0; read < reads; read++) {
        await manager.client.find(Counter, request);
        compute(work / reads);
      }
      if (--left > 0) return;
      const { user, system } = process.cpuUsage(start.processor);
      process.send!({
        through: (performance.now() - start.at) / 1000,
        cpu: (user + system) / 1000 / objects,
      });
    },
  });
process.send!({ loaded: true });
await manager.start();

function compute(milliseconds: number): void {
  if (milliseconds > 0) for (const end = performance.now() + milliseconds; performance.now() < end;);
}
