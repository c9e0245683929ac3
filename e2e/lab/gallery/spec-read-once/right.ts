import { type Manager } from "@tsbuilder/runtime";
import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import { App } from "../app.ts";

export function setup(manager: Manager): void {
  const { client } = manager;
  const messages = new Map<string, string>();
  manager
    .controllerFor(App)
    .owns(ConfigMap)
    .complete({
      async reconcile(request) {
        const app = await client.find(App, request);
        if (!app) return;
        const message = app.spec.message;
        messages.set(app.metadata.uid, message);
        await client.apply(ConfigMap, { metadata: request, data: { message } }, { owner: app });
      },
    });
}
