import { type KubernetesObject, defineKind } from "@tsbuilder/apimachinery/meta";
import { expect, onTestFinished, test } from "vitest";
import {
  allow,
  crdName,
  deny,
  inVersion,
  migrate,
  openWidgets,
  statusOf,
  storeIn,
  versions,
  widget,
} from "../../../e2e/support/cluster/stored-widgets.ts";
import { interceptClient } from "../client/intercept-client.ts";
import { ApiError } from "../errors/api-error.ts";
import { moveClock, moveClockUntil } from "../testing/move-clock.ts";
import { startTestManager } from "../testing/test-manager.ts";
import { stepMigration } from "./storage-migration.ts";

async function startWidgets(count: number) {
  const widgets = await openWidgets(count);
  onTestFinished(widgets.stop);
  return widgets;
}

test("each object is written once, and the former version can be dropped", async () => {
  const { client, clock } = await startWidgets(50);
  const before = await versions(client);
  await expect(storeIn(client, "v2", ["v2"])).rejects.toThrow("v1 was previously a storage version");
  const steps = await migrate(client, clock);
  expect(steps.map((step) => "written" in step && [step.written, step.writtenNow])).toEqual([
    [0, 0],
    [20, 20],
    [40, 20],
    [50, 10],
  ]);
  const after = await versions(client);
  expect([...after].filter(([name, version]) => before.get(name) === version)).toEqual([]);
  expect(await statusOf(client)).toEqual({
    stored: ["v2"],
    condition: expect.objectContaining({ status: "True", message: "All objects are stored in v2" }),
    annotations: undefined,
  });
  expect((await migrate(client, clock)).map(({ state }) => state)).toEqual(["current"]);
  expect(await versions(client)).toEqual(after);
  await storeIn(client, "v2", ["v2"]);
  expect((await versions(client)).size).toBe(50);
});

test("another process goes on where one has ended", async () => {
  const { client, clock } = await startWidgets(50);
  for (let step = 0; step < 2; step++) await stepMigration(client, crdName, clock, { objectsPerSecond: 20 });
  expect((await statusOf(client)).condition?.message).toBe("20 of 50 objects are stored in v2");
  const between = await versions(client);
  await migrate(client, clock);
  const after = await versions(client);
  expect([...after].filter(([name, version]) => between.get(name) === version)).toHaveLength(20);
});

test("a page that was begun when its process ended is written again, without a change", async () => {
  const { client, clock } = await startWidgets(30);
  await stepMigration(client, crdName, clock);
  let writes = 0;
  const dying = interceptClient(client, {
    patch: async (call, next) => {
      if (call.kind.kind === "Widget" && ++writes > 15) throw new Error("the process ended");
      return await next(call);
    },
  });
  await expect(stepMigration(dying, crdName, clock)).rejects.toThrow("the process ended");
  const between = await versions(client);
  const steps = await migrate(client, clock, 100);
  expect(steps.at(-1)).toMatchObject({ state: "migrated", version: "v2", written: 30 });
  const after = await versions(client);
  expect([...after].filter(([name, version]) => between.get(name) === version)).toHaveLength(15);
});

test("a migration begins again if the storage version changes meanwhile", async () => {
  const { client, clock } = await startWidgets(30);
  for (let step = 0; step < 2; step++) await stepMigration(client, crdName, clock, { objectsPerSecond: 20 });
  await storeIn(client, "v1");
  // It is stored in v1 again, on a page that was read already.
  await client.create(inVersion("v1"), widget("a"));
  await storeIn(client, "v2");
  const before = await versions(client);
  await migrate(client, clock);
  const after = await versions(client);
  expect(after.get("a")).not.toBe(before.get("a"));
  expect((await statusOf(client)).stored).toEqual(["v2"]);
});

test("a change of the CRD during the last page leaves its stored versions as they are", async () => {
  const { client, clock } = await startWidgets(5);
  await stepMigration(client, crdName, clock);
  let isChanged = false;
  const changing = interceptClient(client, {
    patch: async (call, next) => {
      if (call.kind.kind === "Widget" && !isChanged) {
        isChanged = true;
        await storeIn(client, "v1");
      }
      return await next(call);
    },
  });
  await expect(stepMigration(changing, crdName, clock)).rejects.toMatchObject({ status: 409 });
  expect((await statusOf(client)).stored).toEqual(["v1", "v2"]);
});

test("objects that the server rejects are named, the others are written, and nothing is dropped", async () => {
  const { client, clock } = await startWidgets(30);
  await deny(client, "w-7");
  const steps = await migrate(client, clock);
  expect(steps.at(-1)).toMatchObject({
    state: "rejected",
    count: 1,
    message: expect.stringMatching(/^1 object can't be stored in v2: default\/w-7: .* denied request/),
  });
  const { stored, condition } = await statusOf(client);
  expect(stored).toEqual(["v1", "v2"]);
  expect(condition).toMatchObject({ status: "False", reason: "Rejected" });
  await allow(client);
  expect((await migrate(client, clock)).at(-1)).toMatchObject({ state: "migrated", written: 30 });
});

test.each([409, 404])(
  "an object whose write a webhook or a quota rejects with %i is not taken for a changed one",
  async (code) => {
    const { client, clock } = await startWidgets(5);
    await stepMigration(client, crdName, clock);
    const rejecting = interceptClient(client, {
      patch: async (call, next) => {
        if (call.kind.kind !== "Widget" || (call.args[0] as { name: string }).name !== "w-3")
          return await next(call);
        throw new ApiError({ apiVersion: "v1", kind: "Status", metadata: {}, message: "not now", code });
      },
    });
    const step = await stepMigration(rejecting, crdName, clock);
    expect(step).toMatchObject({
      state: "rejected",
      count: 1,
      message: expect.stringContaining("default/w-3: not now"),
    });
    expect((await statusOf(client)).stored).toEqual(["v1", "v2"]);
  },
);

test("a token that is too old is exchanged for one of today", async () => {
  const { client, clock, cluster } = await startWidgets(30);
  for (let step = 0; step < 2; step++) await stepMigration(client, crdName, clock, { objectsPerSecond: 20 });
  await clock.advance(3_600_000);
  cluster.core.store.compact();
  cluster.core.store.compact();
  const steps = await migrate(client, clock);
  expect(steps.at(-1)).toMatchObject({ state: "migrated", version: "v2", written: 30 });
});

test("a list that can't be converted changes nothing, and the next step goes on", async () => {
  const { client, clock, failures } = await startWidgets(5);
  await stepMigration(client, crdName, clock);
  failures.plan({ verb: "list", resource: "widgets", outcome: { code: 500 }, times: 1 });
  await expect(stepMigration(client, crdName, clock)).rejects.toMatchObject({ status: 500 });
  expect((await migrate(client, clock)).at(-1)).toMatchObject({ state: "migrated", written: 5 });
});

test("a manager migrates whenever the storage version changes", async () => {
  const { client, clock, cluster } = await startWidgets(250);
  const { stop } = await startTestManager({ kubeconfig: cluster.kubeconfig, clock }, (manager) => {
    manager.migrateStorage(inVersion("v2"));
  });
  onTestFinished(stop);
  await moveClockUntil(clock, async () => expect((await statusOf(client)).stored).toEqual(["v2"]));
  await storeIn(client, "v1");
  await moveClockUntil(clock, async () => expect((await statusOf(client)).stored).toEqual(["v1"]), {
    timeout: 120_000,
  });
  const events = defineKind<KubernetesObject & { note?: string }>(
    { group: "events.k8s.io", version: "v1" },
    { kind: "Event", plural: "events" },
  );
  const notes = async () => (await client.list(events)).map(({ note = "" }) => note).toSorted();
  await moveClockUntil(clock, async () =>
    expect(await notes()).toEqual(["250 objects are stored in v1", "250 objects are stored in v2"]),
  );
});

test("the metrics say how many objects were written, and how many are left", async () => {
  const { client, clock, cluster } = await startWidgets(250);
  await deny(client, "w-7");
  const { manager, stop } = await startTestManager(
    { kubeconfig: cluster.kubeconfig, clock, metrics: { bindAddress: "127.0.0.1:0", secure: false } },
    (started) => started.migrateStorage(inVersion("v2")),
  );
  onTestFinished(stop);
  const series = async (): Promise<Record<string, string>> => {
    const response = await fetch(`http://${manager.addresses.metrics}/metrics`);
    const lines = (await response.text()).matchAll(
      /^tsbuilder_storage_migration_objects_(\w+)\{crd="([^"]+)"\} (\S+)$/gmu,
    );
    return Object.fromEntries([...lines].map(([, name, crd, value]) => [`${name} ${crd}`, value!]));
  };
  await moveClockUntil(clock, async () =>
    expect(await series()).toEqual({
      "rewritten_total widgets.example.com": "100",
      "left widgets.example.com": "150",
    }),
  );
  await moveClockUntil(clock, async () =>
    expect(await series()).toEqual({
      "rewritten_total widgets.example.com": "249",
      "left widgets.example.com": "1",
    }),
  );
  await allow(client);
  await moveClockUntil(clock, async () => expect((await series())["left widgets.example.com"]).toBe("0"), {
    timeout: 700_000,
  });
});

test("a manager writes no more objects in a second than it may, though its own reports change the CRD", async () => {
  const { client, clock, cluster } = await startWidgets(60);
  const before = await versions(client);
  const { stop } = await startTestManager({ kubeconfig: cluster.kubeconfig, clock }, (manager) => {
    manager.migrateStorage(inVersion("v2"), { objectsPerSecond: 10 });
  });
  onTestFinished(stop);
  await moveClock(clock, 7500);
  const after = await versions(client);
  const written = [...after].filter(([name, version]) => before.get(name) !== version).length;
  // Five seconds pass before the first page.
  expect(written).toBeGreaterThan(0);
  expect(written).toBeLessThanOrEqual(30);
});
