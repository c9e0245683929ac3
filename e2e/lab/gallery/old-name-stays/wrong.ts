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
        const name = `${request.name}-${app.spec.port ?? 80}`;
        await client.apply(
          ConfigMap,
          { metadata: { namespace, name }, data: { message: app.spec.message } },
          { owner: app },
        );
      },
    });
}
