import { type Manager } from "@tsbuilder/runtime";
import { App } from "../app.ts";

export function setup(manager: Manager): void {
  const { client } = manager;
  manager.controllerFor(App).complete({
    async reconcile(request) {
      const app = await client.find(App, request);
      if (!app) return;
      await client.patchStatus(App, app, { phase: "Seen", observedGeneration: app.metadata.generation });
    },
  });
}

export const replicas = 2;
export const sharding = "uid";
