/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { randomBytes } from "node:crypto";
import { type Client, isConditionTrue } from "@tsbuilder/runtime";
import { Secret } from "@tsbuilder/runtime/k8s/core/v1";
import type { Maria, SecretKeyRef } from "../../api/v1/maria_types.ts";
import { HISTORY, historyOf } from "./maria_history.ts";
import { resultOf } from "./maria_jobs.ts";
import { DOMAIN, labelsOf, namesOf, ownerOfData, PORT, PRIMARY_ANNOTATION } from "./maria_names.ts";
import { type Observed, primaryOf } from "./maria_observed.ts";
import { refuseTerminatingNamespace } from "./maria_owned.ts";
import { Problem } from "./maria_problem.ts";

/** The passwords of a MySQL's users. */
export interface Credentials {
  /** Password of the application's user. */
  readonly app: string;
  readonly root: string;
  /** Internal passwords: replicas, backups and probes log in with these. */
  readonly replication: string;
  readonly backup: string;
  readonly probe: string;
}

/** Key prefix of the copies of user-provided passwords in the servers' Secret. */
export const KEPT = "password-";

/** Stored with the passwords, as it must live as long as the data. */
const RESTORED = `${DOMAIN}/restored`;

/**
 * Reads the passwords, generates missing ones, and stores them in a Secret.
 * The Secret has no owner: without the root password the data is lost, so it is kept or deleted with the data.
 */
export async function ensureCredentials(
  client: Client,
  mysql: Maria,
  observed: Observed,
): Promise<Credentials> {
  const { namespace } = mysql.metadata;
  const name = namesOf(mysql).credentials;
  if (!observed.credentials) await refuseTerminatingNamespace(client, mysql);
  const credentials = await findPasswords(client, mysql, observed);
  const history = historyOf(mysql, observed);
  const annotations = {
    ...ownerOfData(mysql),
    [PRIMARY_ANNOTATION]: String(primaryOf(observed)),
    ...(history ? { [HISTORY]: history } : {}),
    ...(wasRestored(mysql, observed) ? { [RESTORED]: "true" } : {}),
  };
  const secret = {
    metadata: { name, namespace, labels: labelsOf(mysql, "credentials"), annotations },
    type: "Opaque",
    data: encode({ ...credentials, ...connectionTo(mysql, credentials.app) }),
  };
  await client.apply(Secret, secret, { leaveStrangers: true });
  return credentials;
}

/** What clients need besides the password, in one piece, too. */
function connectionTo({ metadata, spec }: Maria, password: string): Record<string, string> {
  const { username = "app", database = "" } = spec;
  const host = `${metadata.name}.${metadata.namespace}.svc`;
  const uri = `mysql://${username}:${encodeURIComponent(password)}@${host}:${PORT}/${database}`;
  return { username, database, host, port: String(PORT), uri };
}

/** Returns whether a backup was already restored: restoring it again would overwrite later writes. */
export function wasRestored(mysql: Maria, { credentials, restoreJob }: Observed): boolean {
  return (
    credentials?.metadata.annotations?.[RESTORED] !== undefined ||
    isConditionTrue(mysql.status?.conditions, "Restored") ||
    (restoreJob !== undefined && resultOf(restoreJob) === "Succeeded")
  );
}

/** The Secrets that a MySQL references; used to index it. */
export function referencedSecrets({ spec }: Maria): string[] {
  return [spec.passwordSecretRef, spec.rootPasswordSecretRef].flatMap(
    (reference) => reference?.name ?? [],
  );
}

async function findPasswords(
  client: Client,
  mysql: Maria,
  { credentials, config }: Observed,
): Promise<Credentials> {
  const known = decode(credentials?.data);
  const kept = decode(config?.data);
  const { username, passwordSecretRef, rootPasswordSecretRef } = mysql.spec;
  const isRoot = username === "root";
  const given = mysql.spec.password ?? (await read(client, mysql, passwordSecretRef));
  const givenRoot =
    (isRoot ? given : undefined) ?? (await read(client, mysql, rootPasswordSecretRef));
  const root = givenRoot ?? known.root ?? kept[`${KEPT}root`] ?? generate();
  // The servers log in to each other with these, and don't all receive a change at the same time.
  const unchanging = (user: string): string => kept[`${KEPT}${user}`] ?? known[user] ?? generate();
  return {
    app: isRoot ? root : (given ?? known.app ?? kept[`${KEPT}app`] ?? generate()),
    root,
    replication: unchanging("replication"),
    backup: unchanging("backup"),
    probe: unchanging("probe"),
  };
}

async function read(
  client: Client,
  mysql: Maria,
  reference: SecretKeyRef | undefined,
): Promise<string | undefined> {
  if (!reference) return undefined;
  const { name, key = "password" } = reference;
  const { namespace } = mysql.metadata;
  const secret = await client.find(Secret, { namespace, name }, { live: true });
  if (!secret) throw new Problem("SecretNotFound", `Secret "${name}" not found`);
  // Secrets created from files often end with an unintended newline.
  const value = decode(secret.data)[key]?.replace(/\r?\n$/, "");
  if (!value) throw new Problem("SecretKeyMissing", `Secret "${name}" has no key "${key}"`);
  if (value.length > 128 || /[\0\r\n\uFFFD]/.test(value)) {
    const message = `key "${key}" of Secret "${name}" is not one line of at most 128 characters`;
    throw new Problem("SecretKeyInvalid", message);
  }
  return value;
}

/** 32 characters that never need quoting. */
function generate(): string {
  return randomBytes(24).toString("base64url");
}

/** Encodes the content of a Secret. */
export function encode(values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString("base64")]),
  );
}

function decode(data: Record<string, string> = {}): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value, "base64").toString()]),
  );
}
