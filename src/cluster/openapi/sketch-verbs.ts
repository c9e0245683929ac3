import type { JSONObject } from "@tsbuilder/apimachinery/json";
import type { Resource, Verb } from "../registry/resource.ts";
import { capitalize, withArticle } from "./operation-id.ts";
import {
  deleting,
  deletingCollection,
  listing,
  patching,
  pretty,
  resourceVersion,
  writing,
} from "./parameters.ts";
import {
  contentOf,
  customTypes,
  mediaTypes,
  type Reference,
  responses,
  type Sketch,
  streamTypes,
  type Target,
} from "./sketch.ts";

/** What is sent to a collection: GET, POST and DELETE. */
export function sketchCollection(target: Target): Sketch[] {
  const { verbs } = target.resource;
  return [
    ...(verbs.includes("list") ? [sketchList(target)] : []),
    ...(verbs.includes("create") ? [sketchCreate(target)] : []),
    ...(verbs.includes("deletecollection") ? [sketchDeleteCollection(target)] : []),
  ];
}

/** What is sent to an object or to a subresource of one. */
export function sketchObject(target: Target, verbs: readonly Verb[]): Sketch[] {
  return [
    ...(verbs.includes("get") ? [sketchRead(target)] : []),
    ...(verbs.includes("update") ? [sketchReplace(target)] : []),
    ...(verbs.includes("create") ? [sketchCreate(target)] : []),
    ...(verbs.includes("delete") ? [sketchDelete(target)] : []),
    ...(verbs.includes("patch") ? [sketchPatch(target)] : []),
  ];
}

/** The list of all namespaces, if `suffix` says so. */
export function sketchList({ resource, references }: Target, suffix = ""): Sketch {
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

export function sketchRead(target: Target): Sketch {
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
export function scoped({ namespaced, kind }: Resource): string {
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
