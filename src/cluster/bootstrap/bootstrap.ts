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

async function ensure(core: Core, object: ApiObject): Promise<void> {
  const write = ownWrite(core, object);
  if (write.resource.collection.get(keyOfWrite(write))) return;
  await createObject(write, object);
}
