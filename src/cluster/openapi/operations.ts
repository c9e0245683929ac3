import type { JSONObject } from "@tsbuilder/apimachinery/json";
import { type Resource, type SubresourceInfo, subresourcesIn } from "../registry/resource.ts";
import { versionNames } from "./operation-id.ts";
import { pathParameters } from "./parameters.ts";
import { type Operation, pathItems } from "./path-items.ts";
import { type BodyReferences, contentOf, mediaTypes, responses, type Sketch, type Target } from "./sketch.ts";
import { connectParameters, isProxy, sketchConnect, sketchLog, sketchWatch } from "./sketch-streams.ts";
import { sketchCollection, sketchList, sketchObject } from "./sketch-verbs.ts";

/**
 * The paths of one resource in one version. Clients look up operations by kind and check their parameters: kubectl uses
 * server-side validation only if PATCH has a `fieldValidation` parameter.
 */
export function pathsOf(
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

/** The path that lists the resources of a group version. */
export function discoveryPath(
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
