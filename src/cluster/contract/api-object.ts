// This folder has the types that all floors of the cluster share. This file has those of objects: as the server handles
// them, as clients send them, and as they are stored.

import type { KubernetesObject, ObjectMeta } from "@tsbuilder/apimachinery/meta";

/** An object of any kind, as the server handles it. Stored objects are never changed in place. */
export interface ApiObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

/** Marks a mirror pod: a kubelet's report of a static one, which it runs without the server. */
export const mirrorAnnotation = "kubernetes.io/config.mirror";

export function isMirror({ metadata }: ApiObject | KubernetesObject): boolean {
  return metadata?.annotations?.[mirrorAnnotation] !== undefined;
}

/** Replaces all fields of an object with those of another, in place. */
export function replaceFields(object: ApiObject, next: ApiObject): void {
  if (next === object) return;
  for (const field of Object.keys(object)) if (!Object.hasOwn(next, field)) delete object[field];
  Object.assign(object, next);
}

/**
 * A type of the Kubernetes API as a client may have sent it: every field may be missing, and an enum field may hold any
 * text. Defaults and validation see objects like this. Label selectors keep their type, because their validation
 * accepts any value.
 */
export type Sent<T> = T extends string
  ? string
  : T extends readonly (infer Item)[]
    ? Sent<Item>[]
    : T extends object
      ? "matchLabels" extends keyof T
        ? T
        : string extends keyof T
          ? { [Key in keyof T]: Sent<T[Key]> }
          : { [Field in keyof T]?: Sent<T[Field]> }
      : T;

/** An object of a built-in kind with a spec, and perhaps a status, as a client may have sent it. */
export type SentObject<Spec, Status = unknown> = ApiObject & { spec: Spec; status?: Status };

/** Fields that every stored object has if its type has them: validation refuses objects without them. */
type RequiredField = "spec" | "template" | "selector" | "jobTemplate";

/** A type of the Kubernetes API as it is stored: required fields are present, and a `lastProbeTime` may be null. */
export type Stored<T> = T extends readonly (infer Item)[]
  ? Stored<Item>[]
  : T extends object
    ? string extends keyof T
      ? T
      : {
          [Field in keyof T as Field extends RequiredField ? Field : never]-?: Stored<NonNullable<T[Field]>>;
        } & {
          [Field in keyof T as Field extends RequiredField ? never : Field]:
            | Stored<T[Field]>
            | (Field extends "lastProbeTime" ? null : never);
        }
    : T;
