import { type Manager } from "@tsbuilder/runtime";
import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import { App } from "../app.ts";

export function setup(manager: Manager): void {
  const { client } = manager;
  const made = new Map<string, string>();
  manager
    .controllerFor(App)
    .owns(ConfigMap)
    .complete({
      async reconcile(request) {
        const app = await client.find(App, request);
        if (!app) return;
        const key = app.metadata.uid;
        const child = await client.find(ConfigMap, request);
        if (child && made.has(key) && made.get(key) !== child.metadata.uid)
          throw new Error(`ConfigMap ${request.name} belongs to somebody else`);
        const { metadata } = await client.apply(
          ConfigMap,
          {
            metadata: { namespace: request.namespace, name: request.name },
            data: { message: app.spec.message },
          },
          { owner: app },
        );
        made.set(key, metadata.uid);
      },
    });
}
