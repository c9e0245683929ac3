import type { JSONObject } from "@tsbuilder/apimachinery/json";
import { compareText } from "@tsbuilder/apimachinery/text";
import { type Resource, type SubresourceInfo, type Verb, subresourcesIn } from "../registry/resource.ts";

type Json = JSONObject<unknown>;
type Reference = Json;

/** The resource and subresource of several operations. */
interface Target {
  readonly resource: Resource;
  readonly references: BodyReferences;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** The schema of the bodies of requests and responses. */
  readonly schema: Reference;
  /** The kind of the body, or of the options of a connection, if it isn't the resource's. */
  readonly bodyKind?: SubresourceInfo["body"];
}

type ParameterType = "string" | "boolean" | "integer";

/** A parameter of an operation, in the path or in the query. */
interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly description?: string;
  readonly required?: true;
  readonly schema: { readonly type: ParameterType; readonly uniqueItems: true };
}

/** An operation before it has a path. */
interface Sketch {
  readonly method: string;
  /** The verb in `x-kubernetes-action`. Default: the method. */
  readonly action?: string;
  /** The parts of the `operationId` before and after the group version. */
  readonly id: readonly [verb: string, rest: string];
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: Json;
  readonly responses: Json;
  readonly bodyKind?: SubresourceInfo["body"];
}

/** A method on a path, as the document has it. */
interface Operation {
  readonly path: string;
  readonly method: string;
  readonly parameters: readonly Parameter[];
  /** The published fields before and after the parameters. */
  readonly head: Json;
  readonly tail: Json;
}

/**
 * Returns the paths of one resource in one version. Clients look up operations by kind and check their parameters: kubectl uses
 * server-side validation only if PATCH has a `fieldValidation` parameter.
 */
export function pathsOf(resource: Resource, version: string, references: BodyReferences) {
  const { namespaced, plural, verbs, custom } = resource;
  const root = rootOf(resource.group, version);
  const allNamespaces = `${root}/${plural}`;
  const collection = namespaced ? `${root}/namespaces/{namespace}/${plural}` : allNamespaces;
  const object = `${collection}/{name}`;
  const target: Target = { resource, references, subresource: "", schema: references.kind };
  const place = (path: string, sketches: readonly Sketch[]): Operation[] =>
    sketches.map((sketch) => operationAt(path, sketch, resource, version));
  const legacyWatches = (): Operation[] => {
    const watchPath = (path: string): string => path.replace(root, `${root}/watch`);
    return [
      ...(namespaced ? place(watchPath(allNamespaces), [sketchWatch(target, "list of all namespaces")]) : []),
      ...place(watchPath(collection), [sketchWatch(target, "list")]),
      ...place(watchPath(object), [sketchWatch(target, "object")]),
    ];
  };
  return pathItems([
    ...(namespaced && verbs.includes("list")
      ? place(allNamespaces, [sketchList(target, "ForAllNamespaces")])
      : []),
    ...place(collection, sketchAll(target, verbs, ["list", "create", "deletecollection"])),
    ...place(object, sketchAll(target, verbs, ["get", "update", "delete", "patch"])),
    ...[...subresourcesIn(resource, version)].flatMap(([name, info]) =>
      sketchSubresource(target, name, info).flatMap(([subpath, sketches]) =>
        place(`${object}${subpath}`, sketches),
      ),
    ),
    ...(verbs.includes("watch") && !custom ? legacyWatches() : []),
  ]);
}

/** References to the definitions of the bodies of requests and responses. */
export interface BodyReferences {
  readonly kind: Reference;
  readonly list: Reference;
  /** The body of a subresource, if it isn't the kind. */
  readonly subresource: (name: string) => Reference | undefined;
  readonly meta: (name: MetaType) => Reference;
}

/** The types of meta/v1 that requests and responses hold. */
export type MetaType =
  | "APIGroup"
  | "APIGroupList"
  | "APIResourceList"
  | "APIVersions"
  | "DeleteOptions"
  | "Patch"
  | "Status"
  | "WatchEvent";

export const mediaTypes = ["application/json", "application/vnd.kubernetes.protobuf", "application/yaml"];
/** Custom resources have no protobuf. */
const customMediaTypes = ["application/json", "application/yaml"];

const statuses: Readonly<Record<string, string>> = {
  "200": "OK",
  "201": "Created",
  "202": "Accepted",
  "401": "Unauthorized",
};

function inQuery(type: ParameterType, ...names: readonly string[]): Parameter[] {
  return names.map((name) => ({ name, in: "query", schema: { type, uniqueItems: true } }));
}

const pretty = inQuery("string", "pretty");
const resourceVersion = inQuery("string", "resourceVersion");
const dryRun = inQuery("string", "dryRun");
const writeParameters = [...dryRun, ...inQuery("string", "fieldManager", "fieldValidation")];

const deleteParameters = [
  ...dryRun,
  ...inQuery("integer", "gracePeriodSeconds"),
  ...inQuery("boolean", "ignoreStoreReadErrorWithClusterBreakingPotential", "orphanDependents"),
  ...inQuery("string", "propagationPolicy"),
];

const selectionParameters = [
  ...resourceVersion,
  ...inQuery("string", "continue", "fieldSelector", "labelSelector", "resourceVersionMatch", "shardSelector"),
  ...inQuery("integer", "limit", "timeoutSeconds"),
  ...inQuery("boolean", "sendInitialEvents"),
];

const listParameters = [...selectionParameters, ...inQuery("boolean", "allowWatchBookmarks", "watch")];

/** Sketches the operations of some verbs, in their order, without those that are not served. */
function sketchAll(target: Target, served: readonly Verb[], verbs: readonly (OwnVerb | "list")[]): Sketch[] {
  return verbs
    .filter((verb) => served.includes(verb))
    .map((verb) => (verb === "list" ? sketchList(target) : sketchOwn(target, verb)));
}

const watchMediaTypes = mediaTypes.flatMap((type) =>
  type === "application/yaml" ? [type] : [type, `${type};stream=watch`],
);

/** Sketches the list of a namespace, or of all of them with the suffix `ForAllNamespaces`. */
function sketchList({ resource, references }: Target, suffix = ""): Sketch {
  const { kind, verbs, custom } = resource;
  const canWatch = verbs.includes("watch") && !custom;
  return {
    method: "get",
    action: "list",
    id: ["list", suffix === "" ? scopedKind(resource) : `${kind}${suffix}`],
    description: `list ${canWatch ? "or watch " : ""}objects of kind ${kind}`,
    parameters: [...listParameters, ...pretty],
    responses: responses(contentOf(references.list, custom ? customMediaTypes : watchMediaTypes)),
  };
}

/** The verbs of an object or a subresource, and of the deletion of a collection. */
type OwnVerb = "get" | "update" | "create" | "delete" | "deletecollection" | "patch";

function sketchOwn(target: Target, verb: OwnVerb): Sketch {
  const { resource, references, subresource, schema, bodyKind } = target;
  const { kind, custom, strategy } = resource;
  const name = `${scopedKind(resource)}${capitalize(subresource)}`;
  const named = `${subresource === "" ? "" : `${subresource} of `}the specified ${kind}`;
  const parameters = (...parts: readonly (readonly Parameter[])[]) => [...parts.flat(), ...pretty];
  const answer = (body: Reference, ...codes: readonly string[]) =>
    responses(contentOf(body, custom ? customMediaTypes : mediaTypes), codes);
  const request = (body: Reference) => ({ content: contentOf(body, custom ? customMediaTypes : ["*/*"]) });
  switch (verb) {
    case "get":
      return {
        method: "get",
        id: ["read", name],
        description: `read ${named}`,
        parameters: parameters(custom ? resourceVersion : []),
        responses: answer(schema, "200"),
        bodyKind,
      };
    case "update":
      return {
        method: "put",
        id: ["replace", name],
        description: `replace ${named}`,
        parameters: parameters(writeParameters),
        requestBody: { ...request(schema), required: true },
        responses: answer(schema, "200", "201"),
        bodyKind,
      };
    case "create":
      return {
        method: "post",
        id: ["create", name],
        description: `create ${subresource === "" ? "" : `${subresource} of `}${withArticle(kind)}`,
        parameters: parameters(writeParameters),
        requestBody: { ...request(schema), required: true },
        responses: answer(schema, "200", "201", "202"),
        bodyKind,
      };
    case "patch": {
      const formats = ["apply-patch+yaml", "json-patch+json", "merge-patch+json"];
      const types = [...formats, ...(custom ? [] : ["strategic-merge-patch+json"])];
      const content = contentOf(
        references.meta("Patch"),
        types.map((type) => `application/${type}`),
      );
      return {
        method: "patch",
        id: ["patch", name],
        description: `partially update ${named}`,
        parameters: parameters(writeParameters, inQuery("boolean", "force")),
        requestBody: { content, required: true },
        responses: answer(schema, "200", ...(custom ? [] : ["201"])),
        bodyKind,
      };
    }
    case "delete":
      return {
        method: "delete",
        id: ["delete", name],
        description: `delete ${withArticle(kind)}`,
        parameters: parameters(deleteParameters),
        requestBody: request(references.meta("DeleteOptions")),
        responses: answer(
          strategy.returnsDeleted ? references.kind : references.meta("Status"),
          "200",
          "202",
        ),
      };
    case "deletecollection":
      return {
        method: "delete",
        action: "deletecollection",
        id: ["delete", `Collection${scopedKind(resource)}`],
        description: `delete collection of ${kind}`,
        parameters: parameters(...(custom ? [listParameters] : [selectionParameters, deleteParameters])),
        ...(!custom && { requestBody: request(references.meta("DeleteOptions")) }),
        responses: answer(references.meta("Status"), "200"),
      };
  }
}

/** Sketches the legacy watch with `watch` in its path: of an object, of a namespace, or of all namespaces. */
function sketchWatch(
  { resource, references }: Target,
  scope: "object" | "list" | "list of all namespaces",
): Sketch {
  const { kind } = resource;
  const [action, rest] =
    scope === "object"
      ? ["watch", scopedKind(resource)]
      : ["watchlist", scope === "list" ? `${scopedKind(resource)}List` : `${kind}ListForAllNamespaces`];
  const deprecation = "deprecated: use the 'watch' parameter with a list operation instead";
  return {
    method: "get",
    action,
    id: ["watch", rest],
    description:
      scope === "object"
        ? `watch changes to an object of kind ${kind}. ${deprecation}, filtered to a single item with the 'fieldSelector' parameter.`
        : `watch individual changes to a list of ${kind}. ${deprecation}.`,
    parameters: [...listParameters, ...pretty],
    responses: responses(contentOf(references.meta("WatchEvent"), watchMediaTypes)),
  };
}

/** The query parameters of subresources that connect to containers, nodes and services, by the kind of their options. */
const connectParameters: Readonly<Record<string, readonly Parameter[]>> = {
  PodAttachOptions: streamParameters(),
  PodExecOptions: [...inQuery("string", "command"), ...streamParameters()],
  PodPortForwardOptions: inQuery("integer", "ports"),
  PodProxyOptions: inQuery("string", "path"),
  ServiceProxyOptions: inQuery("string", "path"),
  NodeProxyOptions: inQuery("string", "path"),
};

/** The standard streams of a container, and which container. */
function streamParameters(): Parameter[] {
  return [...inQuery("string", "container"), ...inQuery("boolean", "stderr", "stdin", "stdout", "tty")];
}

/** Sketches the operations on a subresource, by the path below the object. */
function sketchSubresource(
  parent: Target,
  subresource: string,
  info: SubresourceInfo,
): [subpath: string, sketches: Sketch[]][] {
  const { verbs, body } = info;
  const schema = parent.references.subresource(subresource) ?? parent.schema;
  // As on the real server, operations on a custom resource's subresources name its own kind.
  const bodyKind = parent.resource.custom ? undefined : body;
  const target: Target = { ...parent, subresource, schema, bodyKind };
  const path = `/${subresource}`;
  if (subresource === "log") return [[path, [sketchLog(target)]]];
  const parameters = body && connectParameters[body.kind];
  if (!parameters) return [[path, sketchAll(target, verbs, ["get", "update", "create", "delete", "patch"])]];
  const connect: [string, Sketch[]] = [path, sketchConnect(target, info, parameters)];
  if (!isProxy(verbs)) return [connect];
  return [connect, [`${path}/{path}`, sketchConnect(target, info, parameters, "WithPath")]];
}

const logParameters = [
  ...pretty,
  ...inQuery("string", "container", "stream"),
  ...inQuery("boolean", "follow", "insecureSkipTLSVerifyBackend", "previous", "timestamps"),
  ...inQuery("integer", "limitBytes", "sinceSeconds", "tailLines"),
];

function sketchLog(target: Target): Sketch {
  const content = contentOf({ type: "string" }, [...mediaTypes, "text/plain"]);
  return { ...sketchOwn(target, "get"), parameters: logParameters, responses: responses(content) };
}

/** Sketches a subresource that connects: all methods for proxies, GET and POST for containers. */
function sketchConnect(
  { resource, subresource, bodyKind }: Target,
  { verbs }: SubresourceInfo,
  parameters: readonly Parameter[],
  suffix = "",
): Sketch[] {
  const methods = isProxy(verbs)
    ? ["get", "put", "post", "delete", "options", "head", "patch"]
    : ["get", "post"];
  return methods.map((method) => ({
    method,
    action: "connect",
    id: ["connect", `${capitalize(method)}${scopedKind(resource)}${capitalize(subresource)}${suffix}`],
    description: `connect ${method.toUpperCase()} requests to ${subresource} of ${resource.kind}`,
    parameters,
    responses: responses(contentOf({ type: "string" }, ["*/*"])),
    bodyKind,
  }));
}

/** Only proxies serve DELETE. */
function isProxy(verbs: SubresourceInfo["verbs"]): boolean {
  return verbs.includes("delete");
}

/** `NamespacedPod`, or `Node`. */
function scopedKind({ namespaced, kind }: Resource): string {
  return `${namespaced ? "Namespaced" : ""}${kind}`;
}

/** Completes a sketch with what follows from its path and version: parameters in the path, the tag, the `operationId`. */
function operationAt(
  path: string,
  { method, action = method, id, description, parameters, requestBody, responses, bodyKind }: Sketch,
  { group, kind }: Resource,
  version: string,
): Operation {
  const { tag, title } = versionNames(group, version);
  return {
    path,
    method,
    parameters: [...parameters, ...pathParameters(path, (bodyKind ?? { kind }).kind)],
    head: { tags: [tag], description, operationId: `${id[0]}${title}${id[1]}` },
    tail: {
      ...(requestBody && { requestBody }),
      responses,
      "x-kubernetes-action": action,
      "x-kubernetes-group-version-kind": bodyKind ?? { group, version, kind },
    },
  };
}

/** Groups operations by path; parameters that all operations of a path share are listed once, at the path. */
function pathItems(operations: readonly Operation[]): Record<string, Json> {
  const byPath = new Map<string, Operation[]>();
  for (const operation of operations) {
    byPath.set(operation.path, [...(byPath.get(operation.path) ?? []), operation]);
  }
  return Object.fromEntries([...byPath].map(([path, group]) => [path, pathItem(group)]));
}

function pathItem(operations: readonly Operation[]): Json {
  const [first, ...others] = operations;
  const has = (parameters: readonly Parameter[], wanted: Parameter): boolean =>
    parameters.some((parameter) => parameter.name === wanted.name && parameter.in === wanted.in);
  const common = first!.parameters.filter((parameter) =>
    others.every(({ parameters }) => has(parameters, parameter)),
  );
  return {
    ...Object.fromEntries(
      operations.map(({ method, head, parameters, tail }) => [
        method,
        { ...head, ...parametersField(parameters.filter((parameter) => !has(common, parameter))), ...tail },
      ]),
    ),
    ...parametersField(common),
  };
}

function parametersField(parameters: readonly Parameter[]): Json {
  if (parameters.length === 0) return {};
  return {
    parameters: parameters.toSorted((a, b) => compareText(a.name, b.name) || compareText(a.in, b.in)),
  };
}

/** The path of discovery that lists the resources of a group version. */
export function discoveryPath(
  group: string,
  version: string,
  references: Pick<BodyReferences, "meta">,
): Record<string, Json> {
  const { tag, title } = versionNames(group, version);
  const get = {
    tags: [tag],
    description: "get available resources",
    operationId: `get${title}APIResources`,
    responses: responses(contentOf(references.meta("APIResourceList"), mediaTypes)),
  };
  return { [`${rootOf(group, version)}/`]: { get } };
}

function rootOf(group: string, version: string): string {
  return group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
}

/** The content of a body: the same schema for each media type. */
export function contentOf(schema: Reference, types: readonly string[]): Json {
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}

/** Responses with the same content for each code, and the 401. */
export function responses(content: Json, codes: readonly string[] = ["200"]): Json {
  const answered = codes.map((code) => [code, { description: statuses[code], content }]);
  return { ...Object.fromEntries(answered), "401": { description: statuses["401"] } };
}

/** The tag of a group's operations, and the middle of their names: `apps` and `Apps`. */
export function groupNames(group: string): { tag: string; title: string } {
  const tag = group === "" ? "core" : joinWords(group.replace(/\.k8s\.io$/u, ""));
  return { tag, title: capitalize(tag) };
}

/** The tag of a group version's operations, and the middle of their names: `apps_v1` and `AppsV1`. */
function versionNames(group: string, version: string): { tag: string; title: string } {
  const { tag, title } = groupNames(group);
  return { tag: `${tag}_${joinWords(version)}`, title: `${title}${capitalize(joinWords(version))}` };
}

/** `rbacAuthorization` for `rbac.authorization`. */
function joinWords(text: string): string {
  return text
    .split(/[^\p{L}\p{Nd}_]+/u)
    .map((word, index) => (index === 0 ? word : capitalize(word)))
    .join("");
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `a Deployment`, `an Ingress`, `Endpoints`. */
function withArticle(kind: string): string {
  if (/[^s]s$/u.test(kind)) return kind;
  return /^[AEIOU]/u.test(kind) ? `an ${kind}` : `a ${kind}`;
}

/** The parameters in a path of a kind. */
function pathParameters(path: string, kind: string): Parameter[] {
  const descriptions: Readonly<Record<string, string>> = { name: `name of the ${kind}` };
  return [...path.matchAll(/\{(\w+)\}/gu)].map(([, name = ""]) => inPath(name, descriptions[name]));
}

const inPath = (name: string, description?: string): Parameter => ({
  name,
  in: "path",
  ...(description !== undefined && { description }),
  required: true,
  schema: { type: "string", uniqueItems: true },
});
