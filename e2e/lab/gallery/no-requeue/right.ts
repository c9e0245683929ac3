import { type Manager } from "@tsbuilder/runtime";
import { App } from "../app.ts";

export function setup(manager: Manager): void {
  const { client } = manager;
  manager.controllerFor(App).complete({
    async reconcile(request) {
      const app = await client.find(App, request);
      if (!app) return;
      const age = Date.now() - Date.parse(app.metadata.creationTimestamp);
      const phase = age < 20_000 ? "Young" : "Old";
      await client.patchStatus(App, app, { phase, observedGeneration: app.metadata.generation });
      return phase === "Young" ? { requeueAfter: "20s" as const } : undefined;
    },
  });
}
