import { parseApiVersion } from "@tsbuilder/apimachinery/meta";
import { type Core, systemUser } from "../registry/core.ts";
import { createObject } from "../registry/create-object.ts";
import { keyOf } from "../registry/resource.ts";
import { updateObject } from "../registry/update-object.ts";
import { type ApiObject, cloneJSON } from "../storage/api-object.ts";

/** Creates an object or replaces it, in this process and past authorization. */
export async function putObject(core: Core, object: ApiObject): Promise<ApiObject> {
  const { group, version } = parseApiVersion(object.apiVersion);
  const resource = core.registry.findKind(group, object.kind);
  if (!resource)
    throw new Error(`no resource serves ${object.apiVersion} ${object.kind}; is its CRD installed?`);
  const { metadata } = object;
  const namespace = resource.namespaced ? (metadata.namespace ?? "default") : "";
  const write = {
    core,
    resource,
    version,
    subresource: "",
    namespace,
    name: metadata.name ?? "",
    user: systemUser,
    fieldManager: "tsbuilder-testing",
    dryRun: false,
    options: {},
    warn: () => undefined,
  };
  const stored = resource.collection.get(keyOf(resource, namespace, write.name));
  if (!stored) return (await createObject(write, cloneJSON(object))).object;
  const { entry } = await updateObject(write, {
    next: (current) => {
      const next = cloneJSON(object);
      next.metadata.resourceVersion = current!.metadata.resourceVersion!;
      return next;
    },
    retry: true,
  });
  return entry.object;
}
