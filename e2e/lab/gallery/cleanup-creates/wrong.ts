import { type Manager } from "@tsbuilder/runtime";
import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import { App } from "../app.ts";
import { away, home } from "../away.ts";

export function setup(manager: Manager): void {
  const { client } = manager;
  manager
    .controllerFor(App)
    .watches(ConfigMap, home)
    .whileDeleting()
    .complete({
      async reconcile(request) {
        const app = await client.find(App, request, { live: true });
        if (!app) return;
        const finalizers = ["gallery.dev/away"];
        if (app.metadata.deletionTimestamp) {
          const lock = { namespace: request.namespace, name: `${request.name}-lock` };
          await client.apply(ConfigMap, { metadata: lock });
          await client.delete(ConfigMap, away(request));
          await client.delete(ConfigMap, lock);
          await client.patch(App, request, { merge: { metadata: { finalizers: null } } });
          return;
        }
        if (!app.metadata.finalizers)
          await client.patch(App, request, { merge: { metadata: { finalizers } } });
        await client.apply(ConfigMap, { metadata: away(request), data: { message: app.spec.message } });
      },
    });
}
