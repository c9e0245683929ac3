import type { ApiObject } from "../contract/api-object.ts";
import type { Core } from "../registry/core.ts";
import { createObject } from "../registry/create-object.ts";
import { keyOfWrite, ownWrite } from "../registry/write.ts";

const namespaces = ["default", "kube-node-lease", "kube-public", "kube-system"];

/** Creates the objects that every cluster has, if they don't exist yet. */
export async function bootstrap(core: Core, objects: readonly ApiObject[]): Promise<void> {
  for (const name of namespaces) {
    await ensure(core, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }
  for (const object of objects) await ensure(core, object);
}

/**
 * Creates the Service `kubernetes`, by which pods find the API server; nothing listens on its address, as in envtest.
 * The Service is recreated after a `kubectl delete all`. Returns a function that stops this.
 */
export async function publishServer(core: Core, port: number): Promise<() => void> {
  const labels = { component: "apiserver", provider: "kubernetes" };
  const service = () =>
    ensure(core, {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "kubernetes", namespace: "default", labels },
      spec: {
        clusterIP: "10.96.0.1",
        ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: port }],
        sessionAffinity: "None",
        type: "ClusterIP",
      },
    });
  await service();
  const services = core.store.collection("services");
  return core.store.listen((collection, { type, entry }) => {
    if (collection !== services || type !== "DELETED" || entry.key !== "default/kubernetes") return;
    // Another Service may have taken its address at once; then it is not recreated.
    service().catch(() => undefined);
  });
}

async function ensure(core: Core, object: ApiObject): Promise<void> {
  const write = ownWrite(core, object);
  if (write.resource.collection.get(keyOfWrite(write))) return;
  await createObject(write, object);
}
