import { createObject } from "./create-object.ts";
import { type Core, systemUser } from "./core.ts";
import type { ApiObject } from "../storage/api-object.ts";

const namespaces = ["default", "kube-node-lease", "kube-public", "kube-system"];

/** Creates what every cluster has from the start, where it is not there yet. */
export async function bootstrap(core: Core): Promise<void> {
  for (const name of namespaces) {
    await ensure(core, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }
}

async function ensure(core: Core, object: ApiObject): Promise<void> {
  const slash = object.apiVersion.lastIndexOf("/");
  const group = slash === -1 ? "" : object.apiVersion.slice(0, slash);
  const resource = core.registry.findKind(group, object.kind)!;
  const { name = "", namespace = "" } = object.metadata;
  const key = resource.namespaced ? `${namespace}/${name}` : name;
  if (resource.collection.get(key)) return;
  const write = {
    core,
    resource,
    version: object.apiVersion.slice(slash + 1),
    subresource: "",
    namespace,
    name,
    user: systemUser,
    fieldManager: "kube-apiserver",
    dryRun: false,
    options: {},
    warn: () => undefined,
  };
  await createObject(write, object);
}
