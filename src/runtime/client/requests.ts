import type { Kind, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { TerminalError } from "../errors/api-error.ts";
import type { RawRequest } from "../http/transport.ts";
import type {
  ApplyOptions,
  ClientDefaults,
  DeleteAllOptions,
  DeleteOptions,
  Patch,
  WriteOptions,
} from "./client.ts";

/** Converts the options of a write to query parameters. */
export function writeQuery({ fieldManager, dryRun, fieldValidation }: WriteOptions): {
  [name: string]: string | undefined;
} {
  return { fieldManager, dryRun: dryRun ? "All" : undefined, fieldValidation };
}

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

/** The URL path of a collection, an object or a subresource. */
export function resourcePath(
  kind: Kind,
  {
    namespace,
    name,
    subresource,
  }: { namespace?: string | undefined; name?: string; subresource?: string } = {},
): string {
  let path = kind.group === "" ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  if (kind.scope === "Namespaced" && namespace) path += `/namespaces/${encodeURIComponent(namespace)}`;
  path += `/${kind.plural}`;
  if (name !== undefined) {
    if (kind.scope === "Namespaced" && !namespace) {
      throw new TerminalError(`${kind.kind} "${name}" needs a namespace: objects of this kind live in one`);
    }
    path += `/${encodeURIComponent(name)}`;
  }
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** The namespace of a call; undefined for cluster-scoped kinds and for all namespaces. */
export function namespaceOf(
  kind: Kind,
  { namespace: only }: ClientDefaults,
  namespace: string | undefined,
): string | undefined {
  if (kind.scope === "Cluster") return undefined;
  if (only && namespace && namespace !== only) {
    throw new TerminalError(`this client is bound to namespace "${only}", so "${namespace}" is out of reach`);
  }
  return namespace ?? only;
}

/** Throws for a call without the namespace that its kind needs. */
export function required(kind: Kind, namespace: string | undefined): string | undefined {
  if (kind.scope === "Namespaced" && !namespace) {
    throw new TerminalError(`a ${kind.kind} needs a namespace: objects of this kind live in one`);
  }
  return namespace;
}
