import { type Manager } from "@tsbuilder/runtime";
import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import { App } from "../app.ts";

export function setup(manager: Manager): void {
  const { client } = manager;
  let message = "";
  manager
    .controllerFor(App)
    .owns(ConfigMap)
    .withOptions({ maxConcurrentReconciles: 4 })
    .complete({
      async reconcile(request) {
        const app = await client.find(App, request);
        if (!app) return;
        message = app.spec.message;
        await client.patchStatus(App, app, { observedGeneration: app.metadata.generation });
        await client.apply(ConfigMap, { metadata: request, data: { message } }, { owner: app });
      },
    });
}
