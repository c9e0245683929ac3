// Requests of a client: paths, query parameters and bodies, and selectors as predicates for the cache.

import type { Kind, KubernetesObject, LabelSelector } from "@tsbuilder/apimachinery/meta";
import {
  formatLabelSelector,
  matchesFields,
  matchesLabelSelector,
  matchesRequirements,
  parseFieldSelector,
  parseLabelSelector,
} from "@tsbuilder/apimachinery/selector";
import { TerminalError } from "../errors/api-error.ts";
import type { RawRequest } from "../http/transport.ts";
import type {
  ApplyOptions,
  ClientDefaults,
  DeleteAllOptions,
  DeleteOptions,
  ObjectSelector,
  Patch,
  WriteOptions,
} from "./client.ts";

/** Converts the options of a write to query parameters. */
export function writeQuery({ fieldManager, dryRun, fieldValidation }: WriteOptions): {
  [name: string]: string | undefined;
} {
  return { fieldManager, dryRun: dryRun ? "All" : undefined, fieldValidation };
}

/** A raw patch, with the content type that tells the server which kind of patch it is. */
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

/** A deletion of an object or a collection, with its options in the body. */
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
    if (kind.scope === "Namespaced" && !namespace)
      throw new TerminalError(`${kind.kind} "${name}" needs a namespace: objects of this kind live in one`);
    path += `/${encodeURIComponent(name)}`;
  }
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** The namespace of a call; undefined for all, and for cluster-scoped kinds. Throws if the client is bound to another. */
export function namespaceOf(
  kind: Kind,
  { namespace: only }: ClientDefaults,
  namespace: string | undefined,
): string | undefined {
  if (kind.scope === "Cluster") return undefined;
  if (only && namespace && namespace !== only)
    throw new TerminalError(`this client is bound to namespace "${only}", so "${namespace}" is out of reach`);
  return namespace || only;
}

/** Returns the namespace. Throws a `TerminalError` if the kind needs one and there is none. */
export function requireNamespace(kind: Kind, namespace: string | undefined): string | undefined {
  if (kind.scope === "Namespaced" && !namespace)
    throw new TerminalError(`a ${kind.kind} needs a namespace: objects of this kind live in one`);
  return namespace;
}

/** Converts a selection to the server's query parameters. */
export function selectionQuery({ labels, fields }: Pick<ObjectSelector, "labels" | "fields">): {
  labelSelector?: string;
  fieldSelector?: string;
} {
  const labelSelector = formatLabels(labels);
  const fieldSelector = formatEqualities(fields);
  return { ...(labelSelector && { labelSelector }), ...(fieldSelector && { fieldSelector }) };
}

type Labels = { readonly [label: string]: string } | undefined;

/** Creates a predicate for labels from a label selector. */
export function matchLabels(labels: ObjectSelector["labels"]): (labels: Labels) => boolean {
  if (labels === undefined) return () => true;
  if (typeof labels === "string") {
    const requirements = parseLabelSelector(labels);
    return (actual) => matchesRequirements(requirements, actual);
  }
  if (isLabelSelector(labels)) return (actual) => matchesLabelSelector(labels, actual);
  const wanted = Object.entries(labels).filter(([, value]) => value !== undefined);
  return (actual) => wanted.every(([label, value]) => actual?.[label] === value);
}

/** Distinguishes a label selector from a map of labels. */
function isLabelSelector(labels: Exclude<ObjectSelector["labels"], string>): labels is LabelSelector {
  const { matchLabels, matchExpressions } = (labels ?? {}) as LabelSelector;
  return typeof matchLabels === "object" || Array.isArray(matchExpressions);
}

/** Creates a predicate for objects from a field selector. Fields are read by their path, named as on the server. */
export function matchFields(fields: string | undefined): (object: KubernetesObject) => boolean {
  if (!fields) return () => true;
  const terms = parseFieldSelector(fields);
  return (object) => matchesFields(terms, (field) => readText(object, field));
}

/** The value of a field as field selectors compare it; undefined for objects and lists. */
function readText(object: unknown, path: string): string | undefined {
  let value = object;
  for (const field of path.split(".")) value = (value as { [field: string]: unknown } | undefined)?.[field];
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : undefined;
}

function formatLabels(labels: ObjectSelector["labels"]): string {
  if (typeof labels === "string") return labels;
  return isLabelSelector(labels) ? formatLabelSelector(labels) : formatEqualities(labels);
}

function formatEqualities(pairs: { readonly [name: string]: string | undefined } | undefined): string {
  return Object.entries(pairs ?? {})
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${value}`)
    .join(",");
}
