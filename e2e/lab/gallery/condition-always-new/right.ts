import { type Condition, type Manager } from "@tsbuilder/runtime";
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
        const { message, extra = "" } = app.spec;
        await client.apply(ConfigMap, { metadata: request, data: { message, extra } }, { owner: app });
        const ready: Condition = {
          type: "Ready",
          status: "True",
          reason: "Applied",
          message: "",
          lastTransitionTime: new Date().toISOString(),
        };
        await client.patchStatus(App, app, {
          conditions: app.status?.conditions?.length ? [...app.status.conditions] : [ready],
        });
      },
    });
}
