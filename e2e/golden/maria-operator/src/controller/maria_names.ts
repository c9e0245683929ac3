/*
 * SPDX-License-Identifier: Apache-2.0
 */

import type { Quantity } from "@tsbuilder/runtime";
import type { Maria } from "../../api/v1/maria_types.ts";

/** The domain under which this operator labels and annotates objects. */
export const DOMAIN = "data.example.com";

/** Marks what outlives its Maria, so that people can find it. */
export const RETAINED_LABEL = `${DOMAIN}/retained`;

/** Names the owner of what outlives it: a name and its labels can be anybody's again, a uid can't. */
export const OWNER_ANNOTATION = `${DOMAIN}/owner-uid`;

/** Put on a MySQL by hand, it lets a primary that lost its data start from nothing. */
export const ALLOW_REINIT_ANNOTATION = `${DOMAIN}/allow-reinit`;

/** The names of everything that belongs to one MySQL. */
export function namesOf({ metadata }: Maria) {
  const name = metadata.name ?? "";
  return {
    credentials: `${name}-credentials`,
    config: `${name}-config`,
    primaryService: name,
    readService: `${name}-read`,
    headlessService: `${name}-headless`,
    statefulSet: name,
    disruptionBudget: name,
    backup: `${name}-backup`,
    restore: `${name}-restore`,
    primaryPod: `${name}-0`,
  };
}

/** What all our objects are called by label. */
export const NAME_LABEL = "maria";

/** Chooses the objects of all MySQLs that have no owner to be found by. */
export const OURS = `app.kubernetes.io/name=${NAME_LABEL},app.kubernetes.io/component in (server,backup,restore)`;

/** Labels that choose a MySQL's objects; they never change, because selectors can't. */
export function selectorLabels({ metadata }: Maria, component: string): Record<string, string> {
  return {
    "app.kubernetes.io/name": NAME_LABEL,
    "app.kubernetes.io/instance": metadata.name ?? "",
    "app.kubernetes.io/component": component,
  };
}

/** Labels of an object that this operator makes. */
export function labelsOf(mysql: Maria, component: string): Record<string, string> {
  return { ...selectorLabels(mysql, component), "app.kubernetes.io/managed-by": "maria-operator" };
}

/** Annotations of data, which has no owner reference: it must not go when its MySQL goes. */
export function ownerOfData({ metadata }: Maria): Record<string, string> {
  return { [OWNER_ANNOTATION]: metadata.uid ?? "" };
}

/** How many servers are asked for. */
export function sizeOf({ spec }: Maria): number {
  return spec.size ?? 1;
}

/** How large each server's volume shall be. */
export function storageOf({ spec }: Maria): Quantity {
  return spec.storage?.size ?? "1Gi";
}

/** How large the volume of backups shall be. */
export function backupStorageOf({ spec }: Maria): Quantity {
  return spec.backup?.storageSize ?? "1Gi";
}
