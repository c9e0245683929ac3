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
        const { namespace } = request;
        const { message } = app.spec;
        const all = await client.list(ConfigMap, { namespace });
        const child = all.find(({ metadata }) => metadata.ownerReferences?.[0]?.uid === app.metadata.uid);
        const name = child?.metadata.name ?? `app-${crypto.randomUUID().slice(0, 8)}`;
        await client.apply(ConfigMap, { metadata: { namespace, name }, data: { message } }, { owner: app });
      },
    });
}
