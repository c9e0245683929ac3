import { type CustomResource, defineKind, Manager } from "@tsbuilder/runtime";

/**
 * An operator for tests and benchmarks with several processes: it copies the sizes of Widgets to their status, and says
 * there who it is. `LEASES` are the times of its leases; `WORK` is what a reconcile costs, in milliseconds of the processor.
 */
interface Widget extends CustomResource<{ size?: number }, { ready?: number; note?: string }> {}
const Widget = defineKind<Widget>(
  { group: "example.com", version: "v1" },
  { kind: "Widget", plural: "widgets" },
);

const [leaseDuration = "15s", renewDeadline = "10s", retryPeriod = "2s"] = (process.env["LEASES"] ?? "")
  .split(",")
  .filter((text) => text !== "");
const times = { leaseDuration, renewDeadline, retryPeriod } as { [name in "leaseDuration"]: `${number}s` };
const work = Number(process.env["WORK"] ?? 0);
const note = process.env["NOTE"] ?? "";

const manager = Manager.fromArgs({
  name: "fleet",
  leaderElectionId: "fleet",
  leaderElection: times,
  sharding: times,
  controllers: { maxConcurrentReconciles: 10 },
});

manager.controllerFor(Widget).complete({
  async reconcile(request) {
    const widget = await manager.client.find(Widget, request);
    if (!widget) return;
    for (const end = performance.now() + work; performance.now() < end;);
    await manager.client.patchStatus(Widget, widget, { ready: widget.spec.size, note });
  },
});
void manager.started.then(() => process.stdout.write("started\n"));
await manager.start();
