import type { Kind, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Patch } from "./client.ts";
import type { ApplyOptions, DeleteAllOptions, DeleteOptions, WriteOptions } from "./options.ts";
import type { RawRequest } from "../http/transport.ts";

/** Converts the options of a write to query parameters. */
export function writeQuery({ fieldManager, dryRun, fieldValidation }: WriteOptions): {
  [name: string]: string | undefined;
} {
  return { fieldManager, dryRun: dryRun ? "All" : undefined, fieldValidation };
}

/** A patch request for a path. */
export function patchRequest(path: string, patch: Patch, options: WriteOptions): RawRequest {
  const [type, body] =
    "merge" in patch
      ? ["application/merge-patch+json", patch.merge]
      : "json" in patch
        ? ["application/json-patch+json", patch.json]
        : ["application/strategic-merge-patch+json", patch.strategic];
  return {
    method: "PATCH",
    path,
    query: writeQuery(options),
    headers: { "content-type": type },
    body,
    signal: options.signal,
  };
}

/** A server-side apply. The server always validates strictly here. JSON is valid YAML, so the body is sent as JSON. */
export function applyRequest(path: string, body: object, options: ApplyOptions): RawRequest {
  return {
    method: "PATCH",
    path,
    query: {
      ...writeQuery({ ...options, fieldManager: options.fieldManager ?? "tsbuilder" }),
      force: options.force ?? true,
    },
    headers: { "content-type": "application/apply-patch+yaml" },
    body,
    signal: options.signal,
  };
}

/** A delete request for a path. */
export function deleteRequest(path: string, options: DeleteOptions & DeleteAllOptions): RawRequest {
  const { preconditions, propagationPolicy, gracePeriodSeconds, dryRun } = options;
  return {
    method: "DELETE",
    path,
    body: {
      apiVersion: "v1",
      kind: "DeleteOptions",
      preconditions,
      propagationPolicy,
      gracePeriodSeconds,
      dryRun: dryRun ? ["All"] : undefined,
    },
    signal: options.signal,
  };
}

/** An object as it is sent, with apiVersion and kind of the given kind. */
export function typed(kind: Kind, object: object, namespace: string | undefined): KubernetesObject {
  const { metadata } = object as Partial<KubernetesObject>;
  return {
    ...object,
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: namespace === undefined ? { ...metadata } : { ...metadata, namespace },
  };
}
