import { parseApiVersion } from "@tsbuilder/apimachinery/meta";
import type { Core } from "../registry/core.ts";
import { createObject } from "../registry/create-object.ts";
import { updateObject } from "../registry/update-object.ts";
import { keyOfWrite, ownWrite } from "../registry/write.ts";
import { copyJSON } from "@tsbuilder/apimachinery/json";
import type { ApiObject } from "../contract/api-object.ts";

/** Creates or replaces an object, in this process and without authorization. */
export async function putObject(core: Core, object: ApiObject): Promise<ApiObject> {
  const { group } = parseApiVersion(object.apiVersion);
  const resource = core.registry.findKind(group, object.kind);
  if (!resource)
    throw new Error(`no resource serves ${object.apiVersion} ${object.kind}; is its CRD installed?`);
  const metadata = { ...object.metadata, namespace: object.metadata.namespace ?? "default" };
  const write = ownWrite(core, { ...object, metadata }, { fieldManager: "tsbuilder-testing" });
  const stored = resource.collection.get(keyOfWrite(write));
  if (!stored) return (await createObject(write, copyJSON(object))).object;
  const { entry } = await updateObject(write, {
    next: (current) => {
      const next = copyJSON(object);
      next.metadata.resourceVersion = current!.metadata.resourceVersion!;
      return next;
    },
    retry: true,
  });
  return entry.object;
}
