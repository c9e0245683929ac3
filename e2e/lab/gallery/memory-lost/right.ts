import { type Manager } from "@tsbuilder/runtime";
import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import { App } from "../app.ts";

export function setup(manager: Manager): void {
  const { client } = manager;
  const names = new Map<string, string>();
  manager
    .controllerFor(App)
    .owns(ConfigMap)
    .complete({
      async reconcile(request) {
        const app = await client.find(App, request);
        if (!app) return;
        const { namespace } = request;
        const name = `${request.name}-${app.spec.port ?? 80}`;
        const key = `${namespace}/${request.name}`;
        for (const { metadata } of await client.list(ConfigMap, { namespace }))
          if (metadata.ownerReferences?.[0]?.uid === app.metadata.uid && metadata.name !== name)
            await client.delete(ConfigMap, { namespace, name: metadata.name });
        await client.apply(
          ConfigMap,
          { metadata: { namespace, name }, data: { message: app.spec.message } },
          { owner: app },
        );
        names.set(key, name);
      },
    });
}
