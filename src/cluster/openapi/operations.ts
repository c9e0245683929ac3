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

type Type = "string" | "boolean" | "integer";

/** A parameter of an operation, in the path or in the query. */
interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly description?: string;
  readonly required?: true;
  readonly schema: { readonly type: Type; readonly uniqueItems: true };
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

/** A method on a path. */
interface Operation {
  readonly path: string;
  readonly method: string;
  readonly parameters: readonly Parameter[];
  /** The published fields before and after the parameters. */
  readonly head: Json;
  readonly tail: Json;
}

/**
 * The paths of one resource in one version. Clients look up operations by kind and check their parameters: kubectl uses
 * server-side validation only if PATCH has a `fieldValidation` parameter.
 */
export function pathsOf(
  resource: Resource,
  version: string,
  references: BodyReferences,
): Record<string, Json> {
  const { namespaced, plural, verbs, custom } = resource;
  const root = rootOf(resource.group, version);
  const everywhere = `${root}/${plural}`;
  const collection = namespaced ? `${root}/namespaces/{namespace}/${plural}` : everywhere;
  const object = `${collection}/{name}`;
  const target: Target = { resource, references, subresource: "", schema: references.kind };
  const at = (path: string, sketches: readonly Sketch[]): Operation[] =>
    sketches.map((sketch) => operationAt(path, sketch, resource, version));
  const watches = (): Operation[] => {
    const below = (path: string): string => path.replace(root, `${root}/watch`);
    return [
      ...(namespaced ? at(below(everywhere), [sketchWatch(target, "list of all namespaces")]) : []),
      ...at(below(collection), [sketchWatch(target, "list")]),
      ...at(below(object), [sketchWatch(target, "object")]),
    ];
  };
  return pathItems([
    ...(namespaced && verbs.includes("list") ? at(everywhere, [sketchList(target, "ForAllNamespaces")]) : []),
    ...at(collection, sketchAll(target, verbs, ["list", "create", "deletecollection"])),
    ...at(object, sketchAll(target, verbs, ["get", "update", "delete", "patch"])),
    ...[...subresourcesIn(resource, version)].flatMap(([name, info]) =>
      sketchSubresource(target, name, info).flatMap(([below, sketches]) => at(`${object}${below}`, sketches)),
    ),
    ...(verbs.includes("watch") && !custom ? watches() : []),
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

const customTypes = ["application/json", "application/yaml"];

const statuses: Readonly<Record<string, string>> = {
  "200": "OK",
  "201": "Created",
  "202": "Accepted",
  "401": "Unauthorized",
};

const inQuery = (name: string, type: Type = "string"): Parameter => ({
  name,
  in: "query",
  schema: { type, uniqueItems: true },
});

const pretty = inQuery("pretty");
const resourceVersion = inQuery("resourceVersion");
const dryRun = inQuery("dryRun");

const writing = [dryRun, inQuery("fieldManager"), inQuery("fieldValidation")];

const patching = [...writing, inQuery("force", "boolean")];

const deleting = [
  dryRun,
  inQuery("gracePeriodSeconds", "integer"),
  inQuery("ignoreStoreReadErrorWithClusterBreakingPotential", "boolean"),
  inQuery("orphanDependents", "boolean"),
  inQuery("propagationPolicy"),
];

const selecting = [
  inQuery("continue"),
  inQuery("fieldSelector"),
  inQuery("labelSelector"),
  inQuery("limit", "integer"),
  resourceVersion,
  inQuery("resourceVersionMatch"),
  inQuery("sendInitialEvents", "boolean"),
  inQuery("shardSelector"),
  inQuery("timeoutSeconds", "integer"),
];

const listing = [inQuery("allowWatchBookmarks", "boolean"), ...selecting, inQuery("watch", "boolean")];

const deletingCollection = [...selecting, ...deleting];

/** The operations on a collection, an object or a subresource, by verb. */
const sketchers = {
  list: (target: Target) => sketchList(target),
  get: sketchRead,
  update: sketchReplace,
  create: sketchCreate,
  delete: sketchDelete,
  deletecollection: sketchDeleteCollection,
  patch: sketchPatch,
};

/** The operations of those verbs that a target has. */
function sketchAll(target: Target, has: readonly Verb[], verbs: readonly (keyof typeof sketchers)[]) {
  return verbs.filter((verb) => has.includes(verb)).map((verb) => sketchers[verb](target));
}

const streamTypes = mediaTypes.flatMap((type) =>
  type === "application/yaml" ? [type] : [type, `${type};stream=watch`],
);

/** The operation that lists a namespace, or all of them with the suffix `ForAllNamespaces`. */
function sketchList({ resource, references }: Target, suffix = ""): Sketch {
  const { kind, verbs, custom } = resource;
  const canWatch = verbs.includes("watch") && !custom;
  return {
    method: "get",
    action: "list",
    id: ["list", suffix === "" ? scoped(resource) : `${kind}${suffix}`],
    description: `list ${canWatch ? "or watch " : ""}objects of kind ${kind}`,
    parameters: [...listing, pretty],
    responses: responses(contentOf(references.list, custom ? customTypes : streamTypes)),
  };
}

function sketchCreate(target: Target): Sketch {
  const { resource, subresource, schema, bodyKind } = target;
  const kind = withArticle(resource.kind);
  return {
    method: "post",
    id: ["create", namedBy(target)],
    description: subresource === "" ? `create ${kind}` : `create ${subresource} of ${kind}`,
    parameters: [...writing, pretty],
    requestBody: { ...requestBody(resource, schema), required: true },
    responses: answers(target, schema, "200", "201", "202"),
    bodyKind,
  };
}

function sketchDeleteCollection(target: Target): Sketch {
  const { resource, references } = target;
  return {
    method: "delete",
    action: "deletecollection",
    id: ["delete", `Collection${scoped(resource)}`],
    description: `delete collection of ${resource.kind}`,
    parameters: [...(resource.custom ? listing : deletingCollection), pretty],
    ...(!resource.custom && { requestBody: requestBody(resource, references.meta("DeleteOptions")) }),
    responses: answers(target, references.meta("Status"), "200"),
  };
}

function sketchRead(target: Target): Sketch {
  const { resource, schema, bodyKind } = target;
  return {
    method: "get",
    id: ["read", namedBy(target)],
    description: `read ${specified(target)}`,
    parameters: [...(resource.custom ? [resourceVersion] : []), pretty],
    responses: answers(target, schema, "200"),
    bodyKind,
  };
}

function sketchReplace(target: Target): Sketch {
  const { resource, schema, bodyKind } = target;
  return {
    method: "put",
    id: ["replace", namedBy(target)],
    description: `replace ${specified(target)}`,
    parameters: [...writing, pretty],
    requestBody: { ...requestBody(resource, schema), required: true },
    responses: answers(target, schema, "200", "201"),
    bodyKind,
  };
}

function sketchDelete(target: Target): Sketch {
  const { resource, references } = target;
  const answer = resource.strategy.returnsDeleted ? references.kind : references.meta("Status");
  return {
    method: "delete",
    id: ["delete", namedBy(target)],
    description: `delete ${withArticle(resource.kind)}`,
    parameters: [...deleting, pretty],
    requestBody: requestBody(resource, references.meta("DeleteOptions")),
    responses: answers(target, answer, "200", "202"),
  };
}

function sketchPatch(target: Target): Sketch {
  const { resource, references, schema, bodyKind } = target;
  const formats = ["apply-patch+yaml", "json-patch+json", "merge-patch+json"];
  const types = [...formats, ...(resource.custom ? [] : ["strategic-merge-patch+json"])];
  const mediaTypes = types.map((type) => `application/${type}`);
  return {
    method: "patch",
    id: ["patch", namedBy(target)],
    description: `partially update ${specified(target)}`,
    parameters: [...patching, pretty],
    requestBody: { content: contentOf(references.meta("Patch"), mediaTypes), required: true },
    responses: answers(target, schema, "200", ...(resource.custom ? [] : ["201"])),
    bodyKind,
  };
}

/** The operation of the legacy watch with `watch` in its path: of an object, of a namespace, or of all namespaces. */
function sketchWatch(
  { resource, references }: Target,
  what: "object" | "list" | "list of all namespaces",
): Sketch {
  const { kind } = resource;
  const [action, rest] =
    what === "object"
      ? ["watch", scoped(resource)]
      : ["watchlist", what === "list" ? `${scoped(resource)}List` : `${kind}ListForAllNamespaces`];
  const parameter = "deprecated: use the 'watch' parameter with a list operation instead";
  return {
    method: "get",
    action,
    id: ["watch", rest],
    description:
      what === "object"
        ? `watch changes to an object of kind ${kind}. ${parameter}, filtered to a single item with the 'fieldSelector' parameter.`
        : `watch individual changes to a list of ${kind}. ${parameter}.`,
    parameters: [...listing, pretty],
    responses: responses(contentOf(references.meta("WatchEvent"), streamTypes)),
  };
}

/** The query parameters of subresources that connect to containers, nodes and services, by the kind of their options. */
const connecting: Readonly<Record<string, readonly Parameter[]>> = {
  PodAttachOptions: streams(),
  PodExecOptions: [inQuery("command"), ...streams()],
  PodPortForwardOptions: [inQuery("ports", "integer")],
  PodProxyOptions: [inQuery("path")],
  ServiceProxyOptions: [inQuery("path")],
  NodeProxyOptions: [inQuery("path")],
};

/** The operations on a subresource, by the path below the object. */
function sketchSubresource(
  parent: Target,
  subresource: string,
  info: SubresourceInfo,
): [below: string, sketches: Sketch[]][] {
  const { verbs, body } = info;
  const schema = parent.references.subresource(subresource) ?? parent.schema;
  // As on the real server, operations on a custom resource's subresources name its own kind.
  const target: Target = {
    ...parent,
    subresource,
    schema,
    ...(!parent.resource.custom && { bodyKind: body }),
  };
  const path = `/${subresource}`;
  if (subresource === "log") return [[path, [sketchLog(target)]]];
  const parameters = body && connecting[body.kind];
  if (!parameters) return [[path, sketchAll(target, verbs, ["get", "update", "create", "delete", "patch"])]];
  const connect: [string, Sketch[]] = [path, sketchConnect(target, info, parameters)];
  if (!isProxy(verbs)) return [connect];
  return [connect, [`${path}/{path}`, sketchConnect(target, info, parameters, "WithPath")]];
}

const logging = [
  inQuery("container"),
  inQuery("follow", "boolean"),
  inQuery("insecureSkipTLSVerifyBackend", "boolean"),
  inQuery("limitBytes", "integer"),
  pretty,
  inQuery("previous", "boolean"),
  inQuery("sinceSeconds", "integer"),
  inQuery("stream"),
  inQuery("tailLines", "integer"),
  inQuery("timestamps", "boolean"),
];

function sketchLog(target: Target): Sketch {
  const content = contentOf({ type: "string" }, [...mediaTypes, "text/plain"]);
  return { ...sketchRead(target), parameters: logging, responses: responses(content) };
}

/** The operations of a subresource that connects: all methods for proxies, GET and POST for containers. */
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
    id: ["connect", `${capitalize(method)}${scoped(resource)}${capitalize(subresource)}${suffix}`],
    description: `connect ${method.toUpperCase()} requests to ${subresource} of ${resource.kind}`,
    parameters,
    responses: responses(contentOf({ type: "string" }, ["*/*"])),
    bodyKind,
  }));
}

function isProxy(verbs: SubresourceInfo["verbs"]): boolean {
  return verbs.includes("delete");
}

/** `NamespacedPod`, or `Node`. */
function scoped({ namespaced, kind }: Resource): string {
  return `${namespaced ? "Namespaced" : ""}${kind}`;
}

/** `NamespacedPod`, or `NamespacedPodStatus`. */
function namedBy({ resource, subresource }: Target): string {
  return `${scoped(resource)}${capitalize(subresource)}`;
}

function specified({ resource, subresource }: Target): string {
  return `${subresource === "" ? "" : `${subresource} of `}the specified ${resource.kind}`;
}

function requestBody({ custom }: Resource, schema: Reference): Json {
  return { content: contentOf(schema, custom ? customTypes : ["*/*"]) };
}

function answers({ resource }: Target, schema: Reference, ...codes: readonly string[]): Json {
  return responses(contentOf(schema, resource.custom ? customTypes : mediaTypes), codes);
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
  return Object.fromEntries([...byPath].map(([path, own]) => [path, pathItem(own)]));
}

function pathItem(operations: readonly Operation[]): Json {
  const [first, ...others] = operations;
  const common = first!.parameters.filter((parameter) =>
    others.every((other) => other.parameters.some((each) => isSame(each, parameter))),
  );
  const isOwn = (parameter: Parameter): boolean => !common.some((each) => isSame(each, parameter));
  return {
    ...Object.fromEntries(
      operations.map(({ method, head, parameters, tail }) => [
        method,
        { ...head, ...listed(parameters.filter(isOwn)), ...tail },
      ]),
    ),
    ...listed(common),
  };
}

function isSame(a: Parameter, b: Parameter): boolean {
  return a.name === b.name && a.in === b.in;
}

function listed(parameters: readonly Parameter[]): Json {
  if (parameters.length === 0) return {};
  return {
    parameters: parameters.toSorted((a, b) => compareText(a.name, b.name) || compareText(a.in, b.in)),
  };
}

/** The path that lists the resources of a group version. */
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

/** The same for a group version: `apps_v1` and `AppsV1`. */
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

function streams(): Parameter[] {
  return [
    inQuery("container"),
    ...["stderr", "stdin", "stdout", "tty"].map((name) => inQuery(name, "boolean")),
  ];
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
