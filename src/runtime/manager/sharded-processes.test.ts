import { expect, onTestFinished, test } from "vitest";
import { Fleet } from "../../../e2e/support/runtime/fleet.ts";
import { Namespace, useWidgetCluster, Widget } from "../../../e2e/support/runtime/widget-cluster.ts";
import { eventually } from "../testing/eventually.ts";

const cluster = useWidgetCluster();

test("of processes that are killed again and again, no two write one object, and every change is answered", async () => {
  const { client } = cluster;
  const namespace = "fleet";
  await client.create(Namespace, { metadata: { name: namespace } });
  const fleet = new Fleet(cluster.kubeconfig, { namespace, mode: "shards", leases: "3s,2s,500ms" });
  onTestFinished(() => fleet.close());
  const set = async (size: number): Promise<void> => {
    for (let index = 0; index < 60; index++) {
      const widget = { metadata: { namespace, name: `w${index}` }, spec: { size } };
      fleet.knows(await client.apply(Widget, widget));
    }
  };
  const answered = (size: number) =>
    eventually(
      async () => {
        const widgets = await client.list(Widget, { namespace });
        const behind = widgets.filter(({ status }) => status?.ready !== size);
        expect(behind.map(({ metadata }) => metadata.name)).toEqual([]);
        return new Set(widgets.map(({ status }) => status?.note)).size;
      },
      { timeout: 120_000 },
    );

  await set(0);
  const processes = [await fleet.start(), await fleet.start(), await fleet.start()];
  await eventually(async () => expect(await answered(0)).toBe(3), { timeout: 120_000 });
  for (let round = 1; round <= 3; round++) {
    const changing = set(round);
    await fleet.end(processes.shift()!);
    await changing;
    processes.push(await fleet.start());
    await answered(round);
  }
  processes.push(await fleet.start());
  await set(4);
  await eventually(async () => expect(await answered(4)).toBe(4), { timeout: 120_000 });
  await fleet.end(processes.shift()!, "SIGTERM");
  await set(5);
  await answered(5);
  expect(fleet.observer.clashes).toEqual([]);
});
