import type { JSONObject } from "@tsbuilder/apimachinery/json";
import { type Resource, subresourcesIn, type Verb } from "../registry/resource.ts";

const query = (name: string, type = "string") => ({ name, in: "query", schema: { type, uniqueItems: true } });
const dryRun = query("dryRun");
const fieldManager = query("fieldManager");
const fieldValidation = query("fieldValidation");
const force = query("force", "boolean");
const listing = [
  query("allowWatchBookmarks", "boolean"),
  query("continue"),
  query("fieldSelector"),
  query("labelSelector"),
  query("limit", "integer"),
  query("resourceVersion"),
  query("resourceVersionMatch"),
  query("sendInitialEvents", "boolean"),
  query("timeoutSeconds", "integer"),
  query("watch", "boolean"),
];
const deleting = [
  dryRun,
  query("gracePeriodSeconds", "integer"),
  query("orphanDependents", "boolean"),
  query("propagationPolicy"),
];

interface OperationShape {
  readonly method: string;
  readonly action: string;
  readonly words: string;
  readonly parameters: readonly object[];
}

const onCollection: Partial<Record<Verb, OperationShape>> = {
  list: { method: "get", action: "list", words: "list", parameters: listing },
  create: {
    method: "post",
    action: "post",
    words: "create",
    parameters: [dryRun, fieldManager, fieldValidation],
  },
  deletecollection: {
    method: "delete",
    action: "deletecollection",
    words: "deleteCollection",
    parameters: [...listing, ...deleting],
  },
};
const onObject: Partial<Record<Verb, OperationShape>> = {
  get: { method: "get", action: "get", words: "read", parameters: [] },
  update: {
    method: "put",
    action: "put",
    words: "replace",
    parameters: [dryRun, fieldManager, fieldValidation],
  },
  patch: {
    method: "patch",
    action: "patch",
    words: "patch",
    parameters: [dryRun, fieldManager, fieldValidation, force],
  },
  delete: { method: "delete", action: "delete", words: "delete", parameters: deleting },
};

/**
 * The paths of one resource in one version. Clients look up operations by kind and check their parameters: kubectl uses
 * server-side validation only if PATCH has a `fieldValidation` parameter.
 */
export function pathsOf(
  resource: Resource,
  version: string,
  reference: JSONObject<unknown>,
): Record<string, JSONObject<unknown>> {
  const { group, plural, namespaced } = resource;
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const base = namespaced ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`;
  const paths: Record<string, JSONObject<unknown>> = {};
  const add = (
    path: string,
    shapes: Partial<Record<Verb, OperationShape>>,
    verbs: readonly Verb[],
    kind?: Kind,
  ) => {
    const item: JSONObject<unknown> = {};
    for (const verb of verbs) {
      const shape = shapes[verb];
      if (shape)
        item[shape.method] = operation(
          resource,
          version,
          shape,
          kind ?? { ...resource, version },
          reference,
          path,
        );
    }
    if (Object.keys(item).length > 0) paths[path] = { ...item, parameters: pathParameters(path) };
  };
  if (namespaced)
    add(
      `${root}/${plural}`,
      onCollection,
      resource.verbs.filter((verb) => verb === "list"),
    );
  add(base, onCollection, resource.verbs);
  add(`${base}/{name}`, onObject, resource.verbs);
  for (const [name, { verbs, body }] of subresourcesIn(resource, version)) {
    add(`${base}/{name}/${name}`, { ...onObject, create: onCollection.create! }, verbs, body);
  }
  return paths;
}

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

function operation(
  resource: Resource,
  version: string,
  { action, words, parameters, method }: OperationShape,
  { group, version: kindVersion, kind }: Kind,
  reference: JSONObject<unknown>,
  path: string,
): JSONObject<unknown> {
  const scope = path.includes("{namespace}") ? "Namespaced" : resource.namespaced ? "ForAllNamespaces" : "";
  const content = { "application/json": { schema: reference } };
  const own = kind === resource.kind;
  return {
    tags: [`${resource.group.split(".")[0] || "core"}_${version}`],
    operationId: `${words}${pascal(resource.group.split(".")[0] || "core")}${pascal(version)}${scope}${resource.kind}${suffixOf(path)}`,
    ...(parameters.length > 0 && { parameters }),
    ...((method === "post" || method === "put") &&
      own && { requestBody: { content: { "*/*": { schema: reference } }, required: true } }),
    ...(method === "patch" && { requestBody: { content: patchTypes(resource), required: true } }),
    responses: { "200": { description: "OK", ...(own && action !== "list" && { content }) } },
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": { group, kind, version: kindVersion },
  };
}

function patchTypes({ custom }: Resource): JSONObject<unknown> {
  const schema = { type: "object" };
  return {
    "application/apply-patch+yaml": { schema },
    "application/json-patch+json": { schema: { type: "array", items: schema } },
    "application/merge-patch+json": { schema },
    ...(!custom && { "application/strategic-merge-patch+json": { schema } }),
  };
}

function pathParameters(path: string): object[] {
  return ["name", "namespace"]
    .filter((name) => path.includes(`{${name}}`))
    .map((name) => ({ name, in: "path", required: true, schema: { type: "string", uniqueItems: true } }));
}

function suffixOf(path: string): string {
  const after = path.split("/{name}/")[1];
  return after === undefined ? "" : pascal(after);
}

function pascal(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
