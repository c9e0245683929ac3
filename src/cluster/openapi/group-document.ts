import type { JSONObject } from "@tsbuilder/apimachinery/json";
import {
  type BuiltinSchema,
  definitionName,
  findResource,
  loadSchemas,
  moduleOf,
} from "@tsbuilder/apimachinery/kinds";
import type { JSONSchema } from "@tsbuilder/apimachinery/schema";
import { compareText } from "@tsbuilder/apimachinery/text";
import type { Core } from "../registry/core.ts";
import { type Resource, type SubresourceInfo, type Verb, subresourcesIn } from "../registry/resource.ts";
import { writeDocument } from "./document.ts";
import { loadMeta, metaReferences } from "./meta-references.ts";
import { SchemaWriter } from "./schema-writer.ts";
import {
  type BodyReferences,
  type Reference,
  type Sketch,
  type Target,
  contentOf,
  customTypes,
  mediaTypes,
  responses,
  streamTypes,
} from "./sketch.ts";
import { capitalize, versionNames, withArticle } from "./operation-id.ts";
import {
  type Parameter,
  connecting,
  deleting,
  deletingCollection,
  listing,
  logging,
  patching,
  pathParameters,
  pretty,
  resourceVersion,
  writing,
} from "./parameters.ts";

/** Makes the OpenAPI v3 document of one group version. */
export async function groupDocument(
  { registry, slices }: Pick<Core, "registry" | "slices">,
  group: string,
  version: string,
): Promise<JSONObject<unknown>> {
  const types = await loadMeta();
  const writer = new SchemaWriter(types);
  const meta = metaReferences(writer, types, { group, version });
  const resources = registry
    .all()
    .filter((each) => each.group === group && each.versions.some(({ name }) => name === version));
  const custom = resources.every((resource) => resource.custom);
  const paths = custom ? {} : discoveryPath(group, version, { meta });
  const pause = slices.begin();
  for (const resource of resources) {
    const name = await define(writer, resource, version);
    const bodies = await subresourceBodies(writer, resource, version);
    const references: BodyReferences = {
      kind: writer.referTo(name),
      list: writer.referTo(`${name}List`),
      subresource: (subresource) => bodies.get(subresource),
      meta,
    };
    Object.assign(paths, pathsOf(resource, version, references));
    await pause();
  }
  return writeDocument(paths, writer, { custom });
}

/**
 * The paths of one resource in one version. Clients look up operations by kind and check their parameters: kubectl uses
 * server-side validation only if PATCH has a `fieldValidation` parameter.
 */
function pathsOf(
  resource: Resource,
  version: string,
  references: BodyReferences,
): Record<string, JSONObject<unknown>> {
  const { namespaced, plural, verbs, custom } = resource;
  const root = rootOf(resource.group, version);
  const everywhere = `${root}/${plural}`;
  const collection = namespaced ? `${root}/namespaces/{namespace}/${plural}` : everywhere;
  const object = `${collection}/{name}`;
  const target: Target = { resource, references, name: "", schema: references.kind };
  const at = (path: string, sketches: readonly Sketch[]): Operation[] =>
    sketches.map((sketch) => place(sketch, path, resource, version));
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
    ...at(collection, sketchCollection(target)),
    ...at(
      object,
      sketchObject(
        target,
        verbs.filter((verb) => verb !== "create"),
      ),
    ),
    ...[...subresourcesIn(resource, version)].flatMap(([name, info]) =>
      subresource(target, name, info).flatMap(([below, sketches]) => at(`${object}${below}`, sketches)),
    ),
    ...(verbs.includes("watch") && !custom ? watches() : []),
  ]);
}

/** What is sent to a subresource, by the path below the object. */
function subresource(
  { resource, references }: Target,
  name: string,
  info: SubresourceInfo,
): [below: string, sketches: Sketch[]][] {
  const { verbs, body } = info;
  const schema = references.subresource(name) ?? references.kind;
  // A custom resource's operations are those of its kind, whatever they send.
  const target: Target = { resource, references, name, schema, ...(!resource.custom && { body }) };
  if (name === "log") return [[`/${name}`, [sketchLog(target)]]];
  const parameters = connectParameters(info);
  if (!parameters) return [[`/${name}`, sketchObject(target, verbs)]];
  return [
    [`/${name}`, sketchConnect(target, info, parameters)],
    ...(isProxy(verbs)
      ? [
          [`/${name}/{path}`, sketchConnect(target, info, parameters, "WithPath")] satisfies [
            string,
            Sketch[],
          ],
        ]
      : []),
  ];
}

/** The parameters of a subresource whose requests are passed on; undefined for others. */
function connectParameters({ body }: SubresourceInfo): readonly Parameter[] | undefined {
  return body && connecting[body.kind];
}

function sketchLog(target: Target): Sketch {
  const content = contentOf({ type: "string" }, [...mediaTypes, "text/plain"]);
  return { ...sketchRead(target), parameters: logging, responses: responses(content) };
}

/** Requests that are passed on: those of all methods to what listens there, those of two to a container. */
function sketchConnect(
  { resource, name, body }: Target,
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
    name: ["connect", `${capitalize(method)}${scoped(resource)}${capitalize(name)}${suffix}`],
    description: `connect ${method.toUpperCase()} requests to ${name} of ${resource.kind}`,
    parameters,
    responses: responses(contentOf({ type: "string" }, ["*/*"])),
    body,
  }));
}

function isProxy(verbs: SubresourceInfo["verbs"]): boolean {
  return verbs.includes("delete");
}

/** The older form of a watch, with `watch` in the path: of one object, of a namespace, or of all. */
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
    name: ["watch", rest],
    description:
      what === "object"
        ? `watch changes to an object of kind ${kind}. ${parameter}, filtered to a single item with the 'fieldSelector' parameter.`
        : `watch individual changes to a list of ${kind}. ${parameter}.`,
    parameters: [...listing, pretty],
    responses: responses(contentOf(references.meta("WatchEvent"), streamTypes)),
  };
}

/** What is sent to a collection: GET, POST and DELETE. */
function sketchCollection(target: Target): Sketch[] {
  const { verbs } = target.resource;
  return [
    ...(verbs.includes("list") ? [sketchList(target)] : []),
    ...(verbs.includes("create") ? [sketchCreate(target)] : []),
    ...(verbs.includes("deletecollection") ? [sketchDeleteCollection(target)] : []),
  ];
}

/** What is sent to an object or to a subresource of one. */
function sketchObject(target: Target, verbs: readonly Verb[]): Sketch[] {
  return [
    ...(verbs.includes("get") ? [sketchRead(target)] : []),
    ...(verbs.includes("update") ? [sketchReplace(target)] : []),
    ...(verbs.includes("create") ? [sketchCreate(target)] : []),
    ...(verbs.includes("delete") ? [sketchDelete(target)] : []),
    ...(verbs.includes("patch") ? [sketchPatch(target)] : []),
  ];
}

/** The list of all namespaces, if `suffix` says so. */
function sketchList({ resource, references }: Target, suffix = ""): Sketch {
  const { kind, verbs, custom } = resource;
  const canWatch = verbs.includes("watch") && !custom;
  return {
    method: "get",
    action: "list",
    name: ["list", suffix === "" ? scoped(resource) : `${kind}${suffix}`],
    description: `list ${canWatch ? "or watch " : ""}objects of kind ${kind}`,
    parameters: [...listing, pretty],
    responses: responses(contentOf(references.list, custom ? customTypes : streamTypes)),
  };
}

function sketchCreate(target: Target): Sketch {
  const { resource, name, schema, body } = target;
  const kind = withArticle(resource.kind);
  return {
    method: "post",
    action: "post",
    name: ["create", nameOf(target)],
    description: name === "" ? `create ${kind}` : `create ${name} of ${kind}`,
    parameters: [...writing, pretty],
    requestBody: { ...requestBody(resource, schema), required: true },
    responses: answers(target, schema, "200", "201", "202"),
    body,
  };
}

function sketchDeleteCollection(target: Target): Sketch {
  const { resource, references } = target;
  return {
    method: "delete",
    action: "deletecollection",
    name: ["delete", `Collection${scoped(resource)}`],
    description: `delete collection of ${resource.kind}`,
    parameters: [...(resource.custom ? listing : deletingCollection), pretty],
    ...(!resource.custom && { requestBody: requestBody(resource, references.meta("DeleteOptions")) }),
    responses: answers(target, references.meta("Status"), "200"),
  };
}

function sketchRead(target: Target): Sketch {
  const { resource, schema, body } = target;
  return {
    method: "get",
    action: "get",
    name: ["read", nameOf(target)],
    description: `read ${specified(target)}`,
    parameters: [...(resource.custom ? [resourceVersion] : []), pretty],
    responses: answers(target, schema, "200"),
    body,
  };
}

function sketchReplace(target: Target): Sketch {
  const { resource, schema, body } = target;
  return {
    method: "put",
    action: "put",
    name: ["replace", nameOf(target)],
    description: `replace ${specified(target)}`,
    parameters: [...writing, pretty],
    requestBody: { ...requestBody(resource, schema), required: true },
    responses: answers(target, schema, "200", "201"),
    body,
  };
}

function sketchDelete(target: Target): Sketch {
  const { resource, references } = target;
  const answer = resource.strategy.returnsDeleted ? references.kind : references.meta("Status");
  return {
    method: "delete",
    action: "delete",
    name: ["delete", nameOf(target)],
    description: `delete ${withArticle(resource.kind)}`,
    parameters: [...deleting, pretty],
    requestBody: requestBody(resource, references.meta("DeleteOptions")),
    responses: answers(target, answer, "200", "202"),
  };
}

function sketchPatch(target: Target): Sketch {
  const { resource, references, schema, body } = target;
  const formats = ["apply-patch+yaml", "json-patch+json", "merge-patch+json"];
  const types = [...formats, ...(resource.custom ? [] : ["strategic-merge-patch+json"])];
  const mediaTypes = types.map((type) => `application/${type}`);
  return {
    method: "patch",
    action: "patch",
    name: ["patch", nameOf(target)],
    description: `partially update ${specified(target)}`,
    parameters: [...patching, pretty],
    requestBody: { content: contentOf(references.meta("Patch"), mediaTypes), required: true },
    responses: answers(target, schema, "200", ...(resource.custom ? [] : ["201"])),
    body,
  };
}

/** `NamespacedPod`, or `Node`. */
function scoped({ namespaced, kind }: Resource): string {
  return `${namespaced ? "Namespaced" : ""}${kind}`;
}

function nameOf({ resource, name }: Target): string {
  return `${scoped(resource)}${capitalize(name)}`;
}

function specified({ resource, name }: Target): string {
  return `${name === "" ? "" : `${name} of `}the specified ${resource.kind}`;
}

function requestBody({ custom }: Resource, schema: Reference): JSONObject<unknown> {
  return { content: contentOf(schema, custom ? customTypes : ["*/*"]) };
}

function answers({ resource }: Target, schema: Reference, ...codes: readonly string[]): JSONObject<unknown> {
  return responses(contentOf(schema, resource.custom ? customTypes : mediaTypes), codes);
}

function place(
  { method, action, name, description, parameters, requestBody, responses, body }: Sketch,
  path: string,
  { group, kind }: Resource,
  version: string,
): Operation {
  const { tag, title } = versionNames(group, version);
  return {
    path,
    method,
    parameters: [...parameters, ...pathParameters(path, (body ?? { kind }).kind)],
    head: { tags: [tag], description, operationId: `${name[0]}${title}${name[1]}` },
    tail: {
      ...(requestBody && { requestBody }),
      responses,
      "x-kubernetes-action": action,
      "x-kubernetes-group-version-kind": body ?? { group, version, kind },
    },
  };
}

/** What a method does on a path. */
interface Operation {
  readonly path: string;
  readonly method: string;
  readonly parameters: readonly Parameter[];
  /** The rest of it, as it is published. */
  readonly head: JSONObject<unknown>;
  readonly tail: JSONObject<unknown>;
}

/** Puts operations under their paths; a parameter that all operations of a path have stands once, at the path. */
function pathItems(operations: readonly Operation[]): Record<string, JSONObject<unknown>> {
  const byPath = new Map<string, Operation[]>();
  for (const operation of operations) {
    byPath.set(operation.path, [...(byPath.get(operation.path) ?? []), operation]);
  }
  return Object.fromEntries([...byPath].map(([path, own]) => [path, pathItem(own)]));
}

function pathItem(operations: readonly Operation[]): JSONObject<unknown> {
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

function listed(parameters: readonly Parameter[]): JSONObject<unknown> {
  if (parameters.length === 0) return {};
  return {
    parameters: parameters.toSorted((a, b) => compareText(a.name, b.name) || compareText(a.in, b.in)),
  };
}

/** The path that lists the resources of a group version. */
function discoveryPath(
  group: string,
  version: string,
  references: Pick<BodyReferences, "meta">,
): Record<string, JSONObject<unknown>> {
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

/** Adds the bodies of subresources that are not the kind itself, and returns references to them. */
async function subresourceBodies(
  writer: SchemaWriter,
  resource: Resource,
  version: string,
): Promise<ReadonlyMap<string, JSONObject<unknown>>> {
  const references = new Map<string, JSONObject<unknown>>();
  for (const [name, { body }] of subresourcesIn(resource, version)) {
    if (!body) continue;
    const schema = (await loadSchemas(moduleOf(body), { descriptions: true }))?.get(body.kind);
    if (!schema) continue;
    references.set(name, writer.reference(schema));
    const { group, version: bodyVersion, kind } = body;
    writer.definitions[definitionName(schema.typeName!)]!["x-kubernetes-group-version-kind"] = [
      { group, kind, version: bodyVersion },
    ];
  }
  return references;
}

/** Adds the schemas of a kind and its list, and returns the kind's name in the document. */
async function define(writer: SchemaWriter, resource: Resource, version: string): Promise<string> {
  if (resource.custom) return defineCustom(writer, resource, version);
  const type = findResource({ group: resource.group, version }, resource.plural)!.type;
  const dot = type.lastIndexOf(".");
  const table = await loadSchemas(type.slice(0, dot), { descriptions: true });
  for (const kind of [type.slice(dot + 1), resource.listKind]) {
    const schema = table?.get(kind);
    if (schema) writer.reference(schema);
  }
  return definitionName(type);
}

async function defineCustom(writer: SchemaWriter, resource: Resource, version: string): Promise<string> {
  const meta = await loadMeta();
  writer.reference(meta.get("ObjectMeta")!);
  writer.reference(meta.get("ListMeta")!);
  const schema = resource.versions.find(({ name }) => name === version)?.schema?.compiled
    ?.schema as JSONSchema;
  const core = (await loadSchemas("core/v1", { descriptions: true }))!;
  const described = { kind: core.get("Pod")!, list: core.get("PodList")! };
  const { name, kind, list } = customDefinition(resource, version, schema, described);
  writer.definitions[name] = kind;
  writer.definitions[`${name}List`] = list;
  return name;
}

const objectMeta = "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

const listMeta = "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";

const conventions = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";

/** A built-in kind and its list: custom resources share the descriptions of the fields that every kind has. */
interface DescribedKind {
  readonly kind: BuiltinSchema;
  readonly list: BuiltinSchema;
}

/** The OpenAPI definitions of a custom resource and its list. Their names begin with the reversed group, as in Java. */
function customDefinition(
  { group, plural, kind, listKind }: Resource,
  version: string,
  schema: JSONSchema,
  described: DescribedKind,
): { name: string; kind: JSONObject<unknown>; list: JSONObject<unknown> } {
  const name = `${group.split(".").toReversed().join(".")}.${version}.${kind}`;
  const published = publish(schema, described.kind);
  const gvk = (of: string) => [{ group, kind: of, version }];
  return {
    name,
    kind: {
      ...published,
      properties: commonFields(described.kind, objectMeta, published["properties"] as JSONObject<unknown>),
      "x-kubernetes-group-version-kind": gvk(kind),
    },
    list: {
      type: "object",
      description: `${listKind} is a list of ${kind}`,
      required: ["items"],
      properties: {
        ...commonFields(described.list, listMeta),
        items: {
          type: "array",
          description: `List of ${plural}. More info: ${conventions}`,
          items: { $ref: `#/components/schemas/${name}` },
        },
      },
      "x-kubernetes-group-version-kind": gvk(listKind),
    },
  };
}

function commonFields(
  { properties }: BuiltinSchema,
  metadata: string,
  own: JSONObject<unknown> = {},
): JSONObject<unknown> {
  const text = (field: string) => ({ type: "string", description: properties![field]!.description });
  return {
    apiVersion: text("apiVersion"),
    kind: text("kind"),
    ...own,
    metadata: { description: properties!["metadata"]!.description, allOf: [{ $ref: metadata }] },
  };
}

/** A schema with what Kubernetes adds to it: the types of an int-or-string, and the fields of embedded objects. */
function publish(schema: JSONSchema, described: BuiltinSchema): JSONObject<unknown> {
  const { properties = {}, items, additionalProperties, required = [] } = schema;
  const publishInner = (inner: unknown): unknown =>
    typeof inner === "object" ? publish(inner as JSONSchema, described) : inner;
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name, publish(field, described)]),
  );
  return {
    ...(schema["x-kubernetes-int-or-string"] && { anyOf: [{ type: "integer" }, { type: "string" }] }),
    ...schema,
    ...(schema.properties && { properties: fields }),
    ...(items !== undefined && { items: publishInner(items) }),
    ...(additionalProperties !== undefined && { additionalProperties: publishInner(additionalProperties) }),
    ...(schema["x-kubernetes-embedded-resource"] === true && {
      properties: commonFields(described, objectMeta, fields),
      required: [...new Set([...required, "kind", "apiVersion"])],
    }),
  };
}
