import {
  type Condition,
  type KubernetesObject,
  defineKind,
  findCondition,
  isConditionTrue,
} from "@tsbuilder/apimachinery/meta";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { Client, ClusterScopedName, Stored } from "../client/client.ts";
import { ApiError } from "../errors/api-error.ts";
import type { CustomResourceDefinition } from "../k8s/apiextensions/v1.ts";

interface StorageVersionMigration extends KubernetesObject {
  spec: { resource: { group: string; resource: string } };
  status?: { conditions?: Condition[]; resourceVersion?: string };
}

/** A request to a controller of Kubernetes 1.37 and newer to write all objects of a resource again. */
const StorageVersionMigration = defineKind<StorageVersionMigration>(
  { group: "storagemigration.k8s.io", version: "v1" },
  { kind: "StorageVersionMigration", plural: "storageversionmigrations", scope: "Cluster" },
);

/** Returns true if the API server has such requests, and this client may use them. */
export async function canServerMigrate(client: Client): Promise<boolean> {
  try {
    for await (const _ of client.pages(StorageVersionMigration, { pageSize: 1 })) return true;
    return false;
  } catch (error) {
    if (error instanceof ApiError && (error.isNotFound || error.isForbidden)) return false;
    throw error;
  }
}

/** Milliseconds until a request that no controller has begun is withdrawn: the controller may be switched off. */
const serverPatience = 60_000;

/** The state of a migration by the server. */
type ServerMigration =
  | { readonly state: "running"; readonly message: string }
  | { readonly state: "succeeded" | "failed" };

/**
 * Requests a migration by the server, or looks how far it is. There is one request for each generation of the CRD, which is
 * deleted when it has ended.
 */
export async function askServer(
  client: Client,
  { metadata, spec: { group, names } }: Stored<CustomResourceDefinition, ClusterScopedName>,
  clock: Clock,
): Promise<ServerMigration> {
  const key = { name: `${metadata.name}-${metadata.generation ?? 0}` };
  const state = "running";
  const message = `The server migrates: StorageVersionMigration ${key.name}`;
  const found = await client.find(StorageVersionMigration, key);
  if (!found) {
    const spec = { resource: { group, resource: names.plural } };
    await client.create(StorageVersionMigration, { metadata: key, spec });
    return { state, message };
  }
  const conditions = found.status?.conditions;
  const isIgnored =
    !found.status?.resourceVersion &&
    clock.now() - Date.parse(found.metadata.creationTimestamp) > serverPatience;
  const hasFailed = isIgnored || isConditionTrue(conditions, "Failed");
  if (!hasFailed && !isConditionTrue(conditions, "Succeeded"))
    return { state, message: findCondition(conditions, "Running")?.message || message };
  await client.delete(StorageVersionMigration, found);
  return { state: hasFailed ? "failed" : "succeeded" };
}
