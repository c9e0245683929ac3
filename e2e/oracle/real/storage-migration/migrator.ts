import { Manager, defineKind, loadConfig } from "@tsbuilder/runtime";

// An operator that only migrates: `migrator.ts KUBECONFIG OBJECTS_PER_SECOND`. It is killed again and again.

const [kubeconfig, objectsPerSecond] = process.argv.slice(2);
const manager = new Manager({
  name: "migrator",
  config: () => loadConfig({ kubeconfig: kubeconfig!, env: {} }),
  // Its successor need not wait long for the lease of a process that was killed.
  leaderElection: {
    id: "migrator",
    namespace: "default",
    leaseDuration: "4s",
    renewDeadline: "3s",
    retryPeriod: "500ms",
  },
});
const Widget = defineKind({ group: "example.com", version: "v2" }, { kind: "Widget", plural: "widgets" });
manager.migrateStorage(Widget, { objectsPerSecond: Number(objectsPerSecond) });
await manager.start();
