import { type Manager } from "@tsbuilder/runtime";
import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import { App } from "../app.ts";

/** Two operators that write objects of the same name. */
export const operators = [writer("first"), writer("second")];

function writer(by: string) {
  const setup = (manager: Manager): void => {
    const { client } = manager;
    manager
      .controllerFor(App)
      .owns(ConfigMap, { everyOwner: true })
      .complete({
        async reconcile(request) {
          const app = await client.find(App, request);
          if (!app) return;
          const name = request.name;
          const data = { message: app.spec.message, by };
          await client.apply(
            ConfigMap,
            { metadata: { ...request, name }, data },
            { owner: app, force: true },
          );
        },
      });
  };
  return { name: by, setup };
}
