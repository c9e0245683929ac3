/*
 * SPDX-License-Identifier: Apache-2.0
 */

import {
  Children,
  type Client,
  type Desired,
  findController,
  type Kind,
  type KubernetesObject,
  type Preparation,
} from "@tsbuilder/runtime";
import { Namespace } from "@tsbuilder/runtime/k8s/core/v1";
import type { Maria } from "../../api/v1/maria_types.ts";
import { labelsOf } from "./maria_names.ts";
import { NAMESPACE_GOES, Problem } from "./maria_problem.ts";

/** Finds an object that is a MySQL's; a stranger's of that name is none. */
export async function findOwn<T extends KubernetesObject>(
  client: Client,
  mysql: Maria,
  kind: Kind<T>,
  name: string,
): Promise<T | undefined> {
  const object = await client.find(kind, { namespace: mysql.metadata.namespace, name });
  return object && belongsTo(mysql, object) ? object : undefined;
}

/** Makes an object what is desired, as one that goes when its MySQL goes; a stranger's of that name is left alone. */
export async function applyOwned<T extends KubernetesObject>(
  client: Client,
  mysql: Maria,
  kind: Kind<T>,
  desired: NoInfer<Desired<T>>,
  prepare?: Preparation<NoInfer<T>>,
): Promise<T> {
  const { name = "" } = desired.metadata;
  if (!(await findOwn(client, mysql, kind, name))) await refuseGoingNamespace(client, mysql);
  const children = new Children(client, mysql);
  const object = await children.set(kind, name, desired, prepare);
  for (const { error } of children.rejections) throw error;
  return object as T;
}

/** Deletes an object with what it owns in turn; a stranger's of that name is left alone. */
export async function deleteOwned<T extends KubernetesObject>(
  client: Client,
  mysql: Maria,
  kind: Kind<T>,
  name: string,
): Promise<void> {
  const object = await findOwn(client, mysql, kind, name);
  if (object) await client.delete(kind, object, { propagationPolicy: "Background" });
}

/** What was there before and is gone may have gone with its namespace, which takes nothing new. */
export async function refuseGoingNamespace(
  client: Client,
  { metadata, status }: Maria,
): Promise<void> {
  if (!status) return;
  const { namespace: name = "" } = metadata;
  const namespace = await client.find(Namespace, { name }, { live: true });
  if (!namespace || namespace.metadata.deletionTimestamp) {
    throw new Problem(NAMESPACE_GOES, `namespace "${name}" is being deleted`);
  }
}

/** What nobody controls is a MySQL's by its labels: passwords, volumes, and what an orphaning deletion left. */
export function belongsTo(mysql: Maria, object: KubernetesObject): boolean {
  const controller = findController(object);
  if (controller) return controller.uid === mysql.metadata.uid;
  const { "app.kubernetes.io/component": _, ...ours } = labelsOf(mysql, "");
  return Object.entries(ours).every(([label, value]) => object.metadata.labels?.[label] === value);
}
