/*
 * SPDX-License-Identifier: Apache-2.0
 */

import {
  type BeforeApply,
  Children,
  type Client,
  type Desired,
  findController,
  type Kind,
  type KubernetesObject,
  type NamespacedName,
  type ReadOptions,
  type Stored,
} from "@tsbuilder/runtime";
import { StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import { Namespace } from "@tsbuilder/runtime/k8s/core/v1";
import type { Maria } from "../../api/v1/maria_types.ts";
import { commonLabelsOf, OWNER_ANNOTATION } from "./maria_names.ts";
import { NAMESPACE_TERMINATING, Problem } from "./maria_problem.ts";

/** Finds an object of a MySQL; one of the same name with another owner is ignored. */
export async function findOwn<T extends KubernetesObject>(
  client: Client,
  mysql: Stored<Maria>,
  kind: Kind<T, NamespacedName>,
  name: string,
  options: ReadOptions = {},
): Promise<Stored<T> | undefined> {
  const object = await client.find(kind, { namespace: mysql.metadata.namespace, name }, options);
  return object && belongsTo(mysql, object) ? object : undefined;
}

/** Applies an object that its MySQL owns; one of the same name with another owner is left alone. */
export async function applyOwned<T extends KubernetesObject>(
  client: Client,
  mysql: Stored<Maria>,
  kind: Kind<T, NamespacedName>,
  desired: NoInfer<Desired<T>>,
  prepare?: BeforeApply<NoInfer<T>>,
): Promise<Stored<T>> {
  const { name = "" } = desired.metadata;
  if (!(await findOwn(client, mysql, kind, name))) await refuseTerminatingNamespace(client, mysql);
  const children = new Children(client, mysql);
  const object = await children.set(kind, name, desired, prepare);
  for (const { error } of children.rejections) throw error;
  return object as Stored<T>;
}

/** Deletes an object and its dependents; one of the same name with another owner is left alone. */
export async function deleteOwned<T extends KubernetesObject>(
  client: Client,
  mysql: Stored<Maria>,
  kind: Kind<T, NamespacedName>,
  name: string,
): Promise<void> {
  const object = await findOwn(client, mysql, kind, name);
  if (object) await client.delete(kind, object, { propagationPolicy: "Background" });
}

/** Deletes a StatefulSet without its pods, to change an immutable field: the next reconcile's one adopts them. */
export async function renew(client: Client, { metadata }: Stored<StatefulSet>): Promise<void> {
  const { namespace, name, uid } = metadata;
  const options = { propagationPolicy: "Orphan", preconditions: { uid } } as const;
  await client.delete(StatefulSet, { namespace, name }, options);
}

/** An object that disappeared may have been deleted with its namespace, in which nothing can be created any more. */
export async function refuseTerminatingNamespace(
  client: Client,
  mysql: Stored<Maria>,
): Promise<void> {
  if (!mysql.status) return;
  const { namespace: name } = mysql.metadata;
  const namespace = await client.find(Namespace, { name }, { live: true });
  if (!namespace || namespace.metadata.deletionTimestamp) {
    throw new Problem(NAMESPACE_TERMINATING, `namespace "${name}" is being deleted`);
  }
}

/** Objects without a controller belong to a MySQL by uid or label: passwords, volumes, and what was orphaned. */
export function belongsTo(mysql: Stored<Maria>, object: KubernetesObject): boolean {
  const controller = findController(object);
  if (controller) return controller.uid === mysql.metadata.uid;
  const { labels = {}, annotations = {} } = object.metadata;
  if (annotations[OWNER_ANNOTATION] === mysql.metadata.uid) return true;
  return Object.entries(commonLabelsOf(mysql)).every(([label, value]) => labels[label] === value);
}
