import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { expect, onTestFinished, test } from "vitest";
import { startClusterUnderTest } from "../../../e2e/support/runtime/cluster-under-test.ts";
import { RequestChannel } from "../controller/source.ts";
import { Secret } from "../k8s/core/v1.ts";
import { eventually } from "../testing/eventually.ts";
import { silentLogger } from "../testing/reconcile-context.ts";
import { startTestManager } from "../testing/test-manager.ts";
import type { SampleMessage } from "../tracing/channels.ts";
import { differs } from "./process-watch.ts";

/** A manager with the controller `hashes`, whose requests compute for so many milliseconds. */
async function startHashes(): Promise<RequestChannel<string>> {
  const cluster = await startClusterUnderTest();
  const requests = new RequestChannel<string>();
  const { client, stop } = await startTestManager(
    { kubeconfig: cluster.kubeconfig!, logger: silentLogger },
    (manager) => {
      manager.cache.informer(Secret);
      manager
        .controllerOf<string>((request) => request)
        .withOptions({ maxConcurrentReconciles: 2 })
        .named("hashes")
        .watchesSource(requests)
        .complete({
          reconcile: async (request) => {
            await new Promise(setImmediate);
            // On a busy machine, that takes longer.
            const begun = process.cpuUsage();
            for (let used = 0; used < Number(request) * 1000;) {
              const { user, system } = process.cpuUsage(begun);
              used = user + system;
            }
          },
        });
    },
  );
  onTestFinished(async () => {
    await stop();
    await cluster.stop();
  });
  await client.create(Secret, { metadata: { name: "one", namespace: "default" }, stringData: { a: "1" } });
  return requests;
}

test("who subscribed before the start learns of workers, queue, cache, event loop and memory", async () => {
  const samples: SampleMessage[] = [];
  const add = (message: unknown): void => void samples.push(message as SampleMessage);
  subscribe("tsbuilder:sample", add);
  onTestFinished(() => void unsubscribe("tsbuilder:sample", add));
  const requests = await startHashes();
  await eventually(() =>
    expect(samples.at(-1)).toMatchObject({
      controllers: [{ controller: "hashes", queued: 0, active: 0, workers: 2 }],
      cached: { Secret: 1 },
    }),
  );
  for (const request of ["1", "2", "3", "4", "400"]) requests.send(request);
  await eventually(() => expect(samples.some(({ blocked }) => blocked >= 200)).toBe(true));
  const busy = samples.find(({ controllers }) => controllers.some(({ active }) => active > 0));
  expect(busy?.controllers).toEqual([{ controller: "hashes", queued: 4, active: 2, workers: 2 }]);
  const { blockedAgo, ...last } = samples.find(({ blocked }) => blocked >= 200)!;
  expect(blockedAgo).toBeGreaterThanOrEqual(0);
  expect(last.cached).toEqual({ Secret: 1 });
  expect(last.resident).toBeGreaterThan(last.heap);
});

const controller = { controller: "mysql", queued: 0, active: 0, workers: 1 };
const sample: SampleMessage = {
  since: 0,
  controllers: [controller],
  cached: { Pod: 1 },
  cachedBytes: 100,
  blocked: 0,
  blockedAgo: undefined,
  resident: 100_000_000,
  heap: 20_000_000,
  heapKept: undefined,
};

test.each<[string, Partial<SampleMessage>, boolean]>([
  ["nothing", {}, false],
  ["memory that is never the same", { resident: 104_000_000, heap: 20_900_000 }, false],
  ["resident memory", { resident: 90_000_000 }, true],
  ["the heap", { heap: 22_000_000 }, true],
  ["a full garbage collection", { heapKept: 15_000_000 }, true],
  ["a short block", { blocked: 15, blockedAgo: 1 }, false],
  ["a block", { blocked: 30, blockedAgo: 1 }, true],
  ["a queue", { controllers: [{ ...controller, queued: 1 }] }, true],
  ["a cached object", { cached: { Pod: 2 } }, true],
])("%s: whether it is worth a sample", (_, change, expected) => {
  expect(differs(sample, { ...sample, ...change })).toBe(expected);
});
