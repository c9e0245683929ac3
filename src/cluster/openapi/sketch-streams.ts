import type { SubresourceInfo } from "../registry/resource.ts";
import { capitalize } from "./operation-id.ts";
import { connecting, listing, logging, type Parameter, pretty } from "./parameters.ts";
import { contentOf, mediaTypes, responses, type Sketch, streamTypes, type Target } from "./sketch.ts";
import { scoped, sketchRead } from "./sketch-verbs.ts";

/** The parameters of a subresource whose requests are passed on; undefined for others. */
export function connectParameters({ body }: SubresourceInfo): readonly Parameter[] | undefined {
  return body && connecting[body.kind];
}

export function sketchLog(target: Target): Sketch {
  const content = contentOf({ type: "string" }, [...mediaTypes, "text/plain"]);
  return { ...sketchRead(target), parameters: logging, responses: responses(content) };
}

/** Requests that are passed on: those of all methods to what listens there, those of two to a container. */
export function sketchConnect(
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

export function isProxy(verbs: SubresourceInfo["verbs"]): boolean {
  return verbs.includes("delete");
}

/** The older form of a watch, with `watch` in the path: of one object, of a namespace, or of all. */
export function sketchWatch(
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
