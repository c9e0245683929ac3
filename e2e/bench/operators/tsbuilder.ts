import { type CustomResource, defineKind, Manager } from "@tsbuilder/runtime";

interface Counter extends CustomResource<{ count: number }, { count?: number }> {}
const Counter = defineKind<Counter>(
  { group: "bench.example.com", version: "v1" },
  { kind: "Counter", plural: "counters" },
);

/** Reads from the cache and writes one status patch: the least that an operator does. */
const manager = Manager.fromArgs({ name: "bench" });
manager
  .controllerFor(Counter)
  .withOptions({ maxConcurrentReconciles: Number(process.env["WORKERS"]) })
  .complete({
    async reconcile(request) {
      const counter = await manager.client.find(Counter, request);
      if (!counter || counter.status?.count === counter.spec.count) return;
      await manager.client.patchStatus(Counter, counter, { count: counter.spec.count });
    },
  });
await manager.start();
