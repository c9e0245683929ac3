import { type Manager } from "@tsbuilder/runtime";
import { ConfigMap, Secret } from "@tsbuilder/runtime/k8s/core/v1";
import { App } from "../app.ts";

export function setup(manager: Manager): void {
  const { client } = manager;
  manager
    .controllerFor(App)
    .owns(ConfigMap)
    .owns(Secret)
    .complete({
      async reconcile(request) {
        const app = await client.find(App, request);
        if (!app) return;
        const { message } = app.spec;
        const isNew = (await client.find(ConfigMap, request)) === undefined;
        await client.apply(ConfigMap, { metadata: request, data: { message } }, { owner: app });
        if (isNew)
          await client.apply(
            Secret,
            { metadata: request, data: { password: btoa("secret") } },
            { owner: app },
          );
        await client.patchStatus(App, app, { ...app.status, observedGeneration: app.metadata.generation });
      },
    });
}
