import { type Manager } from "@tsbuilder/runtime";
import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import { App } from "../app.ts";

export function setup(manager: Manager): void {
  const { client } = manager;
  manager
    .controllerFor(App)
    .owns(ConfigMap)
    .complete({
      async reconcile(request) {
        const app = await client.find(App, request);
        if (!app) return;
        const { size = 1 } = app.spec;
        const old = await client.find(ConfigMap, request);
        const count = old ? Number(old.data?.["count"]) + size - (app.status?.size ?? 0) : size;
        await client.apply(ConfigMap, { metadata: request, data: { count: String(count) } }, { owner: app });
        await client.patchStatus(App, app, { size, observedGeneration: app.metadata.generation });
      },
    });
}
