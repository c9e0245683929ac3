import { type Manager } from "@tsbuilder/runtime";
import { App } from "../app.ts";

export function setup(manager: Manager): void {
  const { client } = manager;
  manager.schedule({
    name: "see",
    every: "5s",
    needLeaderElection: false,
    async run() {
      for (const app of await client.list(App, { live: true }))
        await client.patchStatus(App, app, { phase: "Seen", observedGeneration: app.metadata.generation });
    },
  });
}

export const replicas = 2;
export const sharding = "uid";
