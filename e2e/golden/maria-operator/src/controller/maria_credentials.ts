/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { randomBytes } from "node:crypto";
import type { Client } from "@tsbuilder/runtime";
import { Secret } from "@tsbuilder/runtime/k8s/core/v1";
import type { Maria, SecretKeyRef } from "../../api/v1/maria_types.ts";
import { labelsOf, namesOf } from "./maria_names.ts";
import { Problem } from "./maria_problem.ts";

/** The passwords of a MySQL's users. */
export interface Credentials {
  /** The application's user. */
  readonly app: string;
  readonly root: string;
  /** What the operator itself needs: replicas, backups and probes log in with these. */
  readonly replication: string;
  readonly backup: string;
  readonly probe: string;
}

/**
 * Finds the passwords, makes those that are missing, and keeps them in a Secret.
 * The Secret has no owner: data without its root password is lost data, so it lives and goes with the data.
 */
export async function ensureCredentials(client: Client, mysql: Maria): Promise<Credentials> {
  const name = namesOf(mysql).credentials;
  const { namespace } = mysql.metadata;
  const secret = await client.find(Secret, { namespace, name });
  if (secret && secret.metadata.labels?.["app.kubernetes.io/instance"] !== mysql.metadata.name) {
    throw new Problem("NameConflict", `Secret "${name}" is there and belongs to somebody else`, {
      retry: true,
    });
  }
  const known = decode(secret?.data);
  const credentials: Credentials = {
    app:
      mysql.spec.password ??
      (await read(client, mysql, mysql.spec.passwordSecretRef)) ??
      known.app ??
      generate(),
    root: (await read(client, mysql, mysql.spec.rootPasswordSecretRef)) ?? known.root ?? generate(),
    replication: known.replication ?? generate(),
    backup: known.backup ?? generate(),
    probe: known.probe ?? generate(),
  };
  await client.apply(Secret, {
    metadata: { name, namespace, labels: labelsOf(mysql, "credentials") },
    type: "Opaque",
    data: encode({ ...credentials }),
  });
  return credentials;
}

/** The Secrets that a MySQL refers to, for finding it when one of them changes. */
export function referencedSecrets({ spec }: Maria): string[] {
  return [spec.passwordSecretRef, spec.rootPasswordSecretRef].flatMap(
    (reference) => reference?.name ?? [],
  );
}

async function read(
  client: Client,
  mysql: Maria,
  reference: SecretKeyRef | undefined,
): Promise<string | undefined> {
  if (!reference) return undefined;
  const { name, key = "password" } = reference;
  const secret = await client.find(Secret, { namespace: mysql.metadata.namespace, name });
  if (!secret) throw new Problem("SecretNotFound", `Secret "${name}" is not there`);
  const value = decode(secret.data)[key];
  if (!value) throw new Problem("SecretKeyMissing", `Secret "${name}" has no key "${key}"`);
  // Files that people make Secrets from end with a newline that they don't mean.
  return value.replace(/\r?\n$/, "");
}

/** 32 characters that need no quotes anywhere. */
function generate(): string {
  return randomBytes(24).toString("base64url");
}

function encode(values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString("base64")]),
  );
}

function decode(data: Record<string, string> = {}): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [
      key,
      Buffer.from(value, "base64").toString("utf8"),
    ]),
  );
}
