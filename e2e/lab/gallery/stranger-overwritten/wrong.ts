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
        const data = { message: app.spec.message };
        const child = await client.find(ConfigMap, request);
        if (!child) await client.create(ConfigMap, { metadata: request, data }, { owner: app });
        else if (child.data?.["message"] !== data.message)
          await client.patch(ConfigMap, request, { merge: { data } });
      },
    });
}
