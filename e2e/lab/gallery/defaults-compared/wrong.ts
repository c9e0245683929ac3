import { type Manager } from "@tsbuilder/runtime";
import { Service } from "@tsbuilder/runtime/k8s/core/v1";
import { App } from "../app.ts";

export function setup(manager: Manager): void {
  const { client } = manager;
  manager
    .controllerFor(App)
    .owns(Service)
    .complete({
      async reconcile(request) {
        const app = await client.find(App, request);
        if (!app) return;
        const port = app.spec.port ?? 80;
        const name = `app-${app.metadata.uid.slice(0, 8)}`;
        const key = { namespace: request.namespace, name };
        const ports = [{ port }];
        const old = await client.find(Service, key);
        if (old && JSON.stringify(old.spec?.ports) !== JSON.stringify(ports))
          await client.delete(Service, key);
        if (!old) await client.create(Service, { metadata: key, spec: { ports } }, { owner: app });
      },
    });
}
