/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { type Client, isConditionTrue, type Stored } from "@tsbuilder/runtime";
import { Secret } from "@tsbuilder/runtime/k8s/core/v1";
import type { Maria, SecretKeyRef } from "../../api/v1/maria_types.ts";
import { HISTORY, historyOf } from "./maria_history.ts";
import { resultOf } from "./maria_jobs.ts";
import { DOMAIN, labelsOf, namesOf, ownerOfData, PORT, PRIMARY_ANNOTATION } from "./maria_names.ts";
import { type Observed, type Pass, primaryOf } from "./maria_observed.ts";
import { findOwn, refuseTerminatingNamespace } from "./maria_owned.ts";
import { type Credentials, type Passwords, validPasswords } from "./maria_passwords.ts";
import { Problem } from "./maria_problem.ts";
import { decode, encode } from "./maria_secrets.ts";

/** Stored with the passwords, as it must live as long as the data. */
const RESTORED = `${DOMAIN}/restored`;

/**
 * Finds the valid passwords, and publishes the current ones in a Secret.
 * The Secret has no owner: without the root password the data is lost, so it is kept or deleted with the data.
 */
export async function ensureCredentials(pass: Pass): Promise<Passwords> {
  const { client, mysql, observed: seen, clock } = pass;
  const key = { namespace: mysql.metadata.namespace, name: namesOf(mysql).credentials };
  // The cache doesn't know one that lost its labels.
  const own = seen.credentials ?? (await findOwn(client, mysql, Secret, key.name, { live: true }));
  const observed = { ...seen, credentials: own };
  if (!own) await refuseTerminatingNamespace(client, mysql);
  const passwords = validPasswords(mysql, observed, await readGiven(client, mysql), clock);
  const history = historyOf(mysql, observed);
  const annotations = {
    ...ownerOfData(mysql),
    [PRIMARY_ANNOTATION]: String(primaryOf(observed)),
    ...(history ? { [HISTORY]: history } : {}),
    ...(wasRestored(mysql, observed) ? { [RESTORED]: "true" } : {}),
  };
  const secret = {
    metadata: { ...key, labels: labelsOf(mysql, "credentials"), annotations },
    type: "Opaque",
    data: encode({ ...passwords.current, ...connectionTo(mysql, passwords.current.app) }),
  };
  await client.apply(Secret, secret, { adoptOnlyMatching: own === seen.credentials });
  return passwords;
}

/** What clients need besides the password, in one piece, too. */
function connectionTo({ metadata, spec }: Stored<Maria>, password: string): Record<string, string> {
  const { username = "app", database = "" } = spec;
  const host = `${metadata.name}.${metadata.namespace}.svc`;
  const uri = `mysql://${username}:${encodeURIComponent(password)}@${host}:${PORT}/${database}`;
  return { username, database, host, port: String(PORT), uri };
}

/** Returns whether a backup was already restored: restoring it again would overwrite later writes. */
export function wasRestored(mysql: Stored<Maria>, { credentials, restoreJob }: Observed): boolean {
  return (
    credentials?.metadata.annotations?.[RESTORED] !== undefined ||
    isConditionTrue(mysql.status?.conditions, "Restored") ||
    (restoreJob !== undefined && resultOf(restoreJob) === "Succeeded")
  );
}

/** The Secrets that a MySQL references; used to index it. */
export function referencedSecrets({ spec }: Maria): string[] {
  const { passwordSecretRef, rootPasswordSecretRef, tls } = spec;
  const names = [passwordSecretRef?.name, rootPasswordSecretRef?.name, tls?.secret];
  return names.filter((name) => name !== undefined);
}

async function readGiven(client: Client, mysql: Stored<Maria>): Promise<Partial<Credentials>> {
  const { username, password, passwordSecretRef, rootPasswordSecretRef } = mysql.spec;
  const app = password ?? (await read(client, mysql, passwordSecretRef));
  const ofRoot = username === "root" ? app : undefined;
  const root = ofRoot ?? (await read(client, mysql, rootPasswordSecretRef));
  return { ...(app ? { app } : {}), ...(root ? { root } : {}) };
}

/** Reads a Secret that a MySQL references. */
export async function readSecret(client: Client, { metadata }: Stored<Maria>, name: string) {
  const key = { namespace: metadata.namespace, name };
  const secret = await client.find(Secret, key, { live: true });
  if (!secret) throw new Problem("SecretNotFound", `Secret "${name}" not found`);
  return decode(secret.data);
}

async function read(
  client: Client,
  mysql: Stored<Maria>,
  reference: SecretKeyRef | undefined,
): Promise<string | undefined> {
  if (!reference) return undefined;
  const { name, key = "password" } = reference;
  const data = await readSecret(client, mysql, name);
  // Secrets created from files often end with an unintended newline.
  const value = data[key]?.replace(/\r?\n$/, "");
  if (!value) throw new Problem("SecretKeyMissing", `Secret "${name}" has no key "${key}"`);
  if (value.length > 128 || /[\0\r\n\uFFFD]/.test(value)) {
    const message = `key "${key}" of Secret "${name}" is not one line of at most 128 characters`;
    throw new Problem("SecretKeyInvalid", message);
  }
  return value;
}
