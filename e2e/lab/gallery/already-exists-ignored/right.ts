import { ApiError, type Manager } from "@tsbuilder/runtime";
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
        const { message, extra = "" } = app.spec;
        const data = { message, extra };
        await client
          .create(ConfigMap, { metadata: request, data }, { owner: app })
          .catch((error: unknown) => {
            if (!(error instanceof ApiError && error.isAlreadyExists)) throw error;
          });
        await client.patch(ConfigMap, request, { merge: { data } });
        await client.patchStatus(App, app, { ...app.status, observedGeneration: app.metadata.generation });
      },
    });
}
