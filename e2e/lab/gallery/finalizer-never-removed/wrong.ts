import { type Manager } from "@tsbuilder/runtime";
import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import { App } from "../app.ts";
import { away, home } from "../away.ts";

export function setup(manager: Manager): void {
  const { client } = manager;
  manager
    .controllerFor(App)
    .watches(ConfigMap, home)
    .finalizer("gallery.dev/away", async (app) => {
      const existed = await client.delete(ConfigMap, away(app.metadata));
      if (!existed) throw new Error("nothing to clean up");
    })
    .complete({
      async reconcile(request) {
        const app = await client.find(App, request, { live: true });
        if (app)
          await client.apply(ConfigMap, { metadata: away(request), data: { message: app.spec.message } });
      },
    });
}
