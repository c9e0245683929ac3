/*
 * SPDX-License-Identifier: Apache-2.0
 */

import {
  type Children,
  type Client,
  compareQuantities,
  type NamespacedName,
  pruneServicePorts,
  type Stored,
} from "@tsbuilder/runtime";
import { StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import { CronJob } from "@tsbuilder/runtime/k8s/batch/v1";
import { PersistentVolumeClaim, Pod, Secret, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { PodDisruptionBudget } from "@tsbuilder/runtime/k8s/policy/v1";
import type { Maria } from "../../api/v1/maria_types.ts";
import type { Problem } from "./maria_decide.ts";
import {
  backupClaimFor,
  backupCronJobFor,
  credentialsFor,
  disruptionBudgetFor,
  headlessServiceFor,
  labelsOf,
  namesOf,
  newPassword,
  operatorSecretFor,
  readsLabel,
  restorePodFor,
  serviceFor,
  statefulSetFor,
  writesLabel,
} from "./maria_resources.ts";

/** Sets everything that a MySQL owns, and grows its claims, which belong to the StatefulSet. */
export async function setChildren(
  client: Client,
  mysql: Stored<Maria>,
  children: Children,
  operatorSecret: Stored<Secret>,
): Promise<void> {
  const { spec, status } = mysql;
  const names = namesOf(mysql);
  await children.set(Service, names.headless, headlessServiceFor(mysql), pruneServicePorts);
  await children.set(Service, names.writes, serviceFor(mysql, writesLabel), pruneServicePorts);
  await children.set(Service, names.reads, serviceFor(mysql, readsLabel), pruneServicePorts);
  await children.set(PodDisruptionBudget, names.servers, disruptionBudgetFor(mysql));
  const restore = status?.epoch === undefined ? restorePodFor(mysql) : undefined;
  await children.set(Pod, names.restore, restore);
  // A primary beyond the size stays until another one has taken over.
  const replicas = Math.max(spec.size ?? 1, (status?.primary ?? 0) + 1);
  const existing = await children.find(StatefulSet, names.servers);
  const servers = statefulSetFor(mysql, replicas, operatorSecret, existing);
  await children.set(StatefulSet, names.servers, servers);
  await growClaims(client, mysql);
  if (spec.backupSchedule) await ensureBackupClaim(client, mysql);
  const cronJob = spec.backupSchedule ? backupCronJobFor(mysql, spec.backupSchedule) : undefined;
  await children.set(CronJob, names.backup, cronJob);
}

/** Claims are made of a template that is immutable. Those that are bound can grow. */
async function growClaims(client: Client, mysql: Stored<Maria>): Promise<void> {
  const { namespace } = mysql.metadata;
  const { storage, backup } = mysql.spec;
  const sizes = { server: storage?.size ?? "5Gi", backup: backup?.size ?? "20Gi" };
  for (const [component, size] of Object.entries(sizes)) {
    const labels = labelsOf(mysql, component);
    for (const claim of await client.list(PersistentVolumeClaim, { namespace, labels })) {
      const { phase, capacity } = claim.status ?? {};
      const requested = claim.spec?.resources?.requests?.["storage"];
      const isEnough = [requested, capacity?.["storage"]].some(
        (one) => one === undefined || compareQuantities(one, size) >= 0,
      );
      if (phase !== "Bound" || isEnough) continue;
      await client.patch(PersistentVolumeClaim, claim, ({ spec }) => {
        spec!.resources = { ...spec!.resources, requests: { storage: size } };
      });
    }
  }
}

/** The backup volume has no owner, and is kept when the schedule is removed. */
async function ensureBackupClaim(client: Client, mysql: Stored<Maria>): Promise<void> {
  const claim = backupClaimFor(mysql);
  const { namespace } = mysql.metadata;
  const key = { namespace, name: namesOf(mysql).backup };
  const known =
    (await client.find(PersistentVolumeClaim, key)) ??
    (await client.find(PersistentVolumeClaim, key, { live: true }));
  if (!known) await client.create(PersistentVolumeClaim, claim);
}

/** The operator's password on the servers. It never changes; if it is deleted, a new one is made. */
export async function ensureOperatorSecret(
  client: Client,
  mysql: Stored<Maria>,
): Promise<Stored<Secret>> {
  const key = { namespace: mysql.metadata.namespace, name: namesOf(mysql).operator };
  const known = await findSecret(client, key);
  if (known) return known;
  const { metadata, ...secret } = operatorSecretFor(mysql, newPassword());
  const named = { ...secret, metadata: { ...metadata, ...key } };
  return client.create(Secret, named, { owner: mysql });
}

/** The password of the application: a given one, or one that is made once. Returns a problem if there is none. */
export async function readPassword(
  client: Client,
  mysql: Stored<Maria>,
): Promise<string | Problem> {
  const { namespace } = mysql.metadata;
  const { passwordSecret: given } = mysql.spec;
  if (!given) {
    const secret = await findSecret(client, { namespace, name: namesOf(mysql).credentials });
    return secret ? decode(secret, "password") : newPassword();
  }
  const { name, key = "password" } = given;
  const password = await readKey(client, { namespace, name }, key);
  if (typeof password !== "string" || !/[\0\r\n]/.test(password)) return password;
  return { reason: "SecretMissing", message: `key "${key}" of Secret "${name}" has several lines` };
}

/** Returns the CA of the servers' certificate; undefined if they make their own. Returns a problem if it is not known. */
export async function readAuthority(
  client: Client,
  { spec, metadata: { namespace } }: Stored<Maria>,
): Promise<string | Problem | undefined> {
  return spec.tls && readKey(client, { namespace, name: spec.tls.secretName }, "ca.crt");
}

/** The value of a user's Secret without the end of its last line; a problem if there is none. */
async function readKey(
  client: Client,
  key: NamespacedName,
  dataKey: string,
): Promise<string | Problem> {
  const secret = await findSecret(client, key);
  const value = secret && decode(secret, dataKey).replace(/\r?\n$/, "");
  if (value) return value;
  const what = secret ? `has no key "${dataKey}"` : "not found";
  return { reason: "SecretMissing", message: `Secret "${key.name}" ${what}` };
}

/** Publishes what clients need, once the servers accept it; a first password before. */
export async function setCredentials(
  mysql: Stored<Maria>,
  children: Children,
  password: string,
  isAccepted: boolean,
): Promise<void> {
  const { credentials } = namesOf(mysql);
  const known = isAccepted ? undefined : await children.find(Secret, credentials);
  if (!known) await children.set(Secret, credentials, credentialsFor(mysql, password));
}

/** Finds a Secret live: the cache holds none of others, and none of ours that lost its labels. */
async function findSecret(
  client: Client,
  key: NamespacedName,
): Promise<Stored<Secret> | undefined> {
  return (await client.find(Secret, key)) ?? (await client.find(Secret, key, { live: true }));
}

/** The value of a key; empty if there is none. */
export function decode({ data = {} }: Stored<Secret>, key: string): string {
  return Buffer.from(data[key] ?? "", "base64").toString();
}
