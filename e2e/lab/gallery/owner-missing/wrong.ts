import { type Manager } from "@tsbuilder/runtime";
import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import { App } from "../app.ts";

export function setup(manager: Manager): void {
  const { client } = manager;
  manager
    .controllerFor(App)
    .watches(ConfigMap, ({ metadata: { namespace, name } }) => [{ namespace: namespace, name }])
    .complete({
      async reconcile(request) {
        const app = await client.find(App, request);
        if (!app) return;
        const { message, extra = "" } = app.spec;
        await client.apply(ConfigMap, { metadata: request, data: { message, extra } });
        await client.patchStatus(App, app, { ...app.status, observedGeneration: app.metadata.generation });
      },
    });
}
