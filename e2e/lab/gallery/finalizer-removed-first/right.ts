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
          await client.delete(ConfigMap, away(request));
          await client.patch(App, request, { merge: { metadata: { finalizers: null } } });
          return;
        }
        if (!app.metadata.finalizers)
          await client.patch(App, request, { merge: { metadata: { finalizers } } });
        await client.apply(ConfigMap, { metadata: away(request), data: { message: app.spec.message } });
      },
    });
}
