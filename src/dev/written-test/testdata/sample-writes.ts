import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Recorded, RecordedWrite } from "../../record/recorded.ts";
import type { ProjectFacts } from "../project-facts.ts";
import { type WrittenTest, writtenTest } from "../written-test.ts";

const facts: ProjectFacts = {
  header: "/* ours */\n\n",
  kinds: [
    { apiVersion: "apps.example.com/v1", kind: "MySQL", module: "../../api/v1/mysql_types.ts", isOwn: true },
    { apiVersion: "apps.example.com/v1", kind: "Zone", module: "../../api/v1/zone_types.ts", isOwn: true },
  ],
  setups: [{ name: "setupMySQLController", local: "setupMySQLController", module: "./mysql_controller.ts" }],
  hasWebhooks: false,
};
export const ann = { user: "ann", userAgent: "kubectl" };
export const operator = { user: "system:serviceaccount:shop-system:controller-manager", userAgent: "shop" };
export const cluster = { user: "system:serviceaccount:kube-system:deployment-controller" };

/** An object with a name. */
export type SampleObject = Omit<KubernetesObject, "metadata"> & {
  readonly metadata: KubernetesObject["metadata"] & { readonly name: string };
  readonly [field: string]: unknown;
};

/** Makes a write at a second of the session. */
export function write(
  second: number,
  type: RecordedWrite["write"],
  by: RecordedWrite["by"],
  object: SampleObject,
): Recorded {
  const { name, namespace, ...metadata } = object.metadata;
  const key = namespace === undefined ? name : `${namespace}/${name}`;
  return {
    type: "write",
    at: new Date(second * 1000).toISOString(),
    write: type,
    resource: `${object.kind.toLowerCase()}s`,
    key,
    by,
    object: {
      ...object,
      metadata: { ...object.metadata, uid: metadata.uid ?? `uid-of-${object.kind} ${key}` },
    },
  };
}

export function mysql(name: string, fields: object = {}, metadata: object = {}): SampleObject {
  return {
    apiVersion: "apps.example.com/v1",
    kind: "MySQL",
    metadata: { namespace: "default", name, ...metadata },
    ...fields,
  };
}

/** Makes an object that the operator creates for a MySQL. */
export function child(kind: string, owner: string, name: string, fields: object = {}): SampleObject {
  const ownerReferences = [
    { apiVersion: "apps.example.com/v1", kind: "MySQL", name: owner, uid: `uid-of-MySQL default/${owner}` },
  ];
  const apiVersion = kind === "Deployment" ? "apps/v1" : "v1";
  return { apiVersion, kind, metadata: { namespace: "default", name, ownerReferences }, ...fields };
}

/** Writes a test of a record. `until` is the end of the session, Infinity by default; null means its last line. */
export function written(
  recorded: readonly Recorded[],
  object?: string,
  until: number | null = Infinity,
): WrittenTest {
  const session = {
    type: "session",
    format: 1,
    at: "2026-01-02T00:00:00Z",
    project: "shop",
    tsbuilder: "1",
  } as const;
  return writtenTest({ session, recorded }, facts, { object, until: until ?? undefined });
}

/** Returns the statements of a written test. */
export function bodyOf(text: string): string {
  return /^test\(.*\n(?<body>[^]*)^\}\);$/mu.exec(text)!.groups!["body"]!;
}
