/*
 * SPDX-License-Identifier: Apache-2.0
 */

import type { Quantity, Stored } from "@tsbuilder/runtime";
import type { Maria } from "../../api/v1/maria_types.ts";

/** The domain under which this operator labels and annotates objects. */
export const DOMAIN = "data.example.com";

/** Label of data that was retained when its Maria was deleted. */
export const RETAINED_LABEL = `${DOMAIN}/retained`;

/** Annotation with the owner's uid on data that outlives it: names and labels can be reused, a uid can't. */
export const OWNER_ANNOTATION = `${DOMAIN}/owner-uid`;

/** Annotation that allows a primary that lost its data to start with an empty volume. */
export const ALLOW_REINIT_ANNOTATION = `${DOMAIN}/allow-reinit`;

/** Annotation with the ordinal of the primary, and with the one that a switchover makes primary. */
export const PRIMARY_ANNOTATION = `${DOMAIN}/primary`;

/** Annotation whose change gives all users new passwords, but those whose passwords come from the spec. */
export const ROTATE_ANNOTATION = `${DOMAIN}/rotate`;

/** Annotation of pods whose servers have a certificate. */
export const TLS_ANNOTATION = `${DOMAIN}/tls`;

/** Annotation that allows a switchover without the primary, which loses what no replica has received. */
export const ALLOW_LOSS_ANNOTATION = `${DOMAIN}/allow-loss`;

/** The names of all objects of a MySQL. */
export function namesOf({ metadata }: Stored<Maria>) {
  const { name } = metadata;
  return {
    credentials: `${name}-credentials`,
    config: `${name}-config`,
    primaryService: name,
    readService: `${name}-read`,
    headlessService: `${name}-headless`,
    statefulSet: name,
    disruptionBudget: name,
    networkPolicy: name,
    backup: `${name}-backup`,
    restore: `${name}-restore`,
    switchover: `${name}-switchover`,
    passwords: `${name}-passwords`,
  };
}

/** The name label of all our objects. */
export const NAME_LABEL = "maria";

/** Selects all our objects that are read by name or have no owner reference. */
export const OURS = `app.kubernetes.io/name=${NAME_LABEL},app.kubernetes.io/component in (server,backup,restore,switchover,passwords,credentials,config)`;

/** Labels that select a MySQL's objects; they never change, because selectors are immutable. */
export function selectorLabels(mysql: Stored<Maria>, component: string): Record<string, string> {
  return {
    "app.kubernetes.io/name": NAME_LABEL,
    "app.kubernetes.io/instance": mysql.metadata.name,
    "app.kubernetes.io/component": component,
  };
}

/** Labels of an object that this operator creates. */
export function labelsOf(mysql: Stored<Maria>, component: string): Record<string, string> {
  return { ...selectorLabels(mysql, component), "app.kubernetes.io/managed-by": "maria-operator" };
}

/** Labels of all objects that this operator creates for a MySQL, whatever they are. */
export function commonLabelsOf(mysql: Stored<Maria>): Record<string, string> {
  const { "app.kubernetes.io/component": _, ...common } = labelsOf(mysql, "");
  return common;
}

/** Annotations of data, which has no owner reference: it must outlive its MySQL. */
export function ownerOfData({ metadata }: Stored<Maria>): Record<string, string> {
  return { [OWNER_ANNOTATION]: metadata.uid };
}

/** The port of the servers and Services. */
export const PORT = 3306;

/** The DNS name of a server. */
export function hostOf(mysql: Stored<Maria>, ordinal: number): string {
  const { statefulSet, headlessService } = namesOf(mysql);
  return `${statefulSet}-${ordinal}.${headlessService}.${mysql.metadata.namespace}.svc`;
}

/** The desired number of servers. */
export function sizeOf({ spec }: Maria): number {
  return spec.size ?? 1;
}

/** The desired size of each server's volume. */
export function storageOf({ spec }: Maria): Quantity {
  return spec.storage?.size ?? "1Gi";
}

/** The desired size of the backup volume. */
export function backupStorageOf({ spec }: Maria): Quantity {
  return spec.backup?.storageSize ?? "1Gi";
}
