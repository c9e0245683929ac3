import { copyJSON } from "@tsbuilder/apimachinery/json";
import { type KubernetesObject, apiVersionOf } from "@tsbuilder/apimachinery/meta";
import type { ClusterObjects, ServedResource } from "../contract/cluster-objects.ts";
import type { ApiObject } from "../contract/api-object.ts";
import type { Entry } from "../storage/entry.ts";
import { qualifiedName } from "../contract/status-error.ts";
import type { Core } from "./core.ts";
import { createObject } from "./create-object.ts";
import { deleteObject } from "./delete-object.ts";
import { type Resource, type ResourceVersion, keyOf } from "./resource.ts";
import { pauseRegularly } from "../http/time-slices.ts";
import { updateObject } from "./update-object.ts";
import { type Write, ownWrite } from "./write.ts";

/**
 * Gives controllers the cluster's objects: without HTTP, authentication and authorization, but with all other steps of a
 * request. Names of resources are qualified, such as `deployments.apps`; an unknown one has no objects.
 */
export function clusterObjects(core: Core): ClusterObjects {
  const pause = pauseRegularly();
  const read = (resource: Resource, entry: Entry) =>
    presentNow(resource, entry).object as unknown as KubernetesObject;
  const get = (name: string, namespace: string | undefined, objectName: string) => {
    const resource = core.registry.findName(name);
    const entry = resource?.collection.get(keyOf(resource, namespace ?? "", objectName));
    return resource && entry && read(resource, entry);
  };
  const list = (name: string, namespace?: string) => {
    const resource = core.registry.findName(name);
    const prefix = resource?.namespaced && namespace ? `${namespace}/` : "";
    return resource ? resource.collection.list(prefix).map((entry) => read(resource, entry)) : [];
  };
  return {
    resources: () => core.registry.all().map(describe),
    findKind(group, kind) {
      const resource = core.registry.findKind(group, kind);
      return resource && describe(resource);
    },
    // The type of a resource name carries the type of its objects, and stored objects have been validated.
    get: get as ClusterObjects["get"],
    list: list as ClusterObjects["list"],
    watch: (listener) =>
      core.store.listen((collection, { type, entry }) => {
        const resource = core.registry.findStored(collection);
        if (!resource) return;
        listener({ type, resource: describe(resource).resource, object: read(resource, entry) });
      }),
    async create<T extends KubernetesObject>(user: string, object: T) {
      const write = writeFor(core, user, object, "");
      return (await createObject(write, copy(object))).object as unknown as T;
    },
    async update<T extends KubernetesObject>(user: string, object: T, subresource = "") {
      const write = writeFor(core, user, object, subresource);
      const retry = !object.metadata.resourceVersion;
      const { entry } = await updateObject(write, { next: () => copy(object), retry });
      return entry.object as unknown as T;
    },
    async delete(user, object, { uid, resourceVersion, ...rules } = {}) {
      await pause();
      const preconditions = { uid, resourceVersion };
      await deleteObject(writeFor(core, user, object, ""), { ...rules, preconditions });
    },
  };
}

function copy(object: KubernetesObject): ApiObject {
  return copyJSON(object) as unknown as ApiObject;
}

const descriptions = new WeakMap<Resource, ServedResource>();

/** Describes a resource for controllers, once: each of them gets each change with it. */
function describe(resource: Resource): ServedResource {
  const known = descriptions.get(resource);
  if (known) return known;
  const { group, versions, kind, namespaced, verbs } = resource;
  const [{ name: version, scale }] = versions as [ResourceVersion];
  const apiVersion = apiVersionOf({ group, version });
  const description = { resource: qualifiedName(resource), apiVersion, kind, namespaced, verbs, scale };
  descriptions.set(resource, description);
  return description;
}

/** Converts an entry to the preferred version, without webhooks: objects that need one stay in their stored version. */
function presentNow(resource: Resource, entry: Entry): Entry {
  if (resource.renamesVersions === false && entry.object.apiVersion !== describe(resource).apiVersion)
    return entry;
  return resource.present(entry, resource.versions[0]!.name) as Entry;
}

function writeFor(core: Core, user: string, object: KubernetesObject, subresource: string): Write {
  return ownWrite(core, object, {
    user: { name: user, groups: ["system:masters"] },
    fieldManager: user.split(":").at(-1)!,
    subresource,
  });
}
