import { type Manager, type NamespacedName } from "@tsbuilder/runtime";
import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import { App } from "../app.ts";

export function setup(manager: Manager): void {
  const { client } = manager;
  const keyOf = ({ metadata: { namespace = "", name = "" } }: App): NamespacedName => ({ namespace, name });
  const everyApp = async () => (await client.list(App)).map(keyOf);
  manager
    .controllerFor(App)
    .owns(ConfigMap)
    .watches(App, everyApp)
    .complete({
      async reconcile(request) {
        const app = await client.find(App, request);
        if (!app) return;
        const names = (await everyApp()).map(({ namespace, name }) => `${namespace}/${name}`);
        await client.apply(
          ConfigMap,
          { metadata: request, data: { names: names.sort().join() } },
          { owner: app },
        );
      },
    });
}
