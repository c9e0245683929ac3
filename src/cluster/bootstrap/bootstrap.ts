// This folder has the objects of every cluster from its start, and those that the API server itself keeps: roles, flow
// control, its own Service, the addresses of Services, and what expires. This file is how they get into the store.

import { randomUUID } from "node:crypto";
import type { JSONObject } from "@tsbuilder/apimachinery/json";
import { type ManagedFieldsEntry, parseApiVersion } from "@tsbuilder/apimachinery/meta";
import { formatTime } from "@tsbuilder/apimachinery/time";
import type { ApiObject } from "../contract/api-object.ts";
import type { Core } from "../registry/core.ts";
import { createObject } from "../registry/create-object.ts";
import { keyOfWrite, ownWrite } from "../registry/write.ts";
import { keyOf } from "../registry/resource.ts";

const namespaces = ["default", "kube-node-lease", "kube-public", "kube-system"];

/** Creates the namespaces of every cluster and these objects, each like a request does, if they don't exist yet. */
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

/**
 * Stores objects that don't exist yet, without admission, defaults and validation: they are known to be valid, and
 * these steps would take most of the start. Objects without managed fields get an entry that owns every field.
 */
export function storeBootstrapObjects(core: Core, objects: Iterable<ApiObject>): void {
  const time = formatTime(core.clock.now());
  for (const { metadata, ...object } of objects) {
    const { group } = parseApiVersion(object.apiVersion);
    const resource = core.registry.findKind(group, object.kind)!;
    const { name = "", namespace = "", labels, annotations, generation, managedFields } = metadata;
    const key = keyOf(resource, namespace, name);
    if (resource.collection.get(key)) continue;
    const { kind: _kind, apiVersion, ...content } = object;
    const fieldsV1 = {
      "f:metadata": { "f:annotations": fieldAndMembers(annotations), "f:labels": fieldAndMembers(labels) },
      ...memberFields(content),
    };
    core.store.put(resource.collection, key, {
      ...object,
      metadata: {
        name,
        ...(namespace !== "" && { namespace }),
        uid: randomUUID(),
        creationTimestamp: time,
        ...(generation !== undefined && { generation }),
        ...(labels && { labels }),
        ...(annotations && { annotations }),
        managedFields: managedFields ?? [serverEntry(apiVersion, time, fieldsV1)],
      },
    });
  }
}

/** The entry in managed fields that says that the API server itself wrote these fields. */
export function serverEntry(apiVersion: string, time: string, fieldsV1: JSONObject): ManagedFieldsEntry {
  const manager = { manager: "kube-apiserver", operation: "Update" } as const;
  return { ...manager, apiVersion, time, fieldsType: "FieldsV1", fieldsV1 };
}

/** The FieldsV1 of a map or an object: itself (`.`) and each of its members. */
export function fieldAndMembers(map: object = {}): JSONObject {
  return { ".": {}, ...memberFields(map) };
}

/** The FieldsV1 of the members alone. */
export function memberFields(object: object): JSONObject {
  return Object.fromEntries(Object.keys(object).map((name) => [`f:${name}`, {}]));
}
