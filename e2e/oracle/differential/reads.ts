import * as fc from "fast-check";
import type { Step } from "../conformance/story.ts";
import { collectionPath } from "./read-kinds.ts";
import { nameOfObject, pathOfObject, type Target } from "./target.ts";

const table = "application/json;as=Table;v=v1;g=meta.k8s.io";
const partial = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
const accepts = [undefined, table, partial, "application/yaml", "text/html"];
const listAccepts = accepts.map((accept) => accept?.replace("Metadata", "MetadataList"));

export function read(target: Target): fc.Arbitrary<Step> {
  const query = fc.constantFrom(
    "",
    "",
    "resourceVersion=0",
    "resourceVersion=1",
    "resourceVersion=x",
    "pretty=true",
  );
  const protobuf = "application/vnd.kubernetes.protobuf,application/json";
  const subresource = fc.constantFrom(
    "",
    ...target.kind.subresources.filter((name) => /^(?:status|scale)$/u.test(name)),
  );
  return fc
    .tuple(fc.constantFrom(...accepts, protobuf), query, subresource)
    .map(([accept, parameters, name]) =>
      get(withQuery(`${pathOfObject(target)}${name && `/${name}`}`, [parameters]), accept),
    );
}

const selections = [
  "labelSelector=a%3Db",
  "labelSelector=a+in+(b,c)",
  "labelSelector=%21a",
  "labelSelector=a%3D%3D%3Db",
  "fieldSelector=metadata.name%3Da",
  "fieldSelector=spec.nothing%3Da",
  "limit=1",
  "limit=-1",
  "limit=x",
  "continue=x",
  "resourceVersion=0",
  "resourceVersion=0&resourceVersionMatch=Exact",
  "resourceVersion=1&resourceVersionMatch=NotOlderThan",
  "resourceVersionMatch=Exact",
  "timeoutSeconds=x",
];
/** Selections of one object, which depend on no others beside it. */
const selectionsOfOne = selections.filter((each) => !each.startsWith("fieldSelector") && each !== "limit=1");

/** Lists of a namespace, of one namespace among all, and of one object among those in no namespace. */
export function list(target: Target): fc.Arbitrary<Step> {
  return place(target).chain(({ path, only: selector }) =>
    fc
      .tuple(
        fc.constantFrom(...listAccepts),
        fc.subarray(selector === undefined ? selections : selectionsOfOne, { minLength: 0, maxLength: 2 }),
      )
      .map(([accept, query]) => get(withQuery(path, [selector, ...query]), accept)),
  );
}

/** From where a watch tells of changes. `{1.…}` is the revision of the story's first write. */
const starts = [
  "resourceVersion={1.metadata.resourceVersion}",
  "resourceVersion={1.metadata.resourceVersion}",
  "resourceVersion={2.metadata.resourceVersion}",
  "",
  "resourceVersion=0",
  "resourceVersion=x",
  "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
  "sendInitialEvents=true",
  "sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
  "allowWatchBookmarks=true",
  "allowWatchBookmarks=true&resourceVersion=0",
  "allowWatchBookmarks=true&resourceVersion={1.metadata.resourceVersion}",
  "continue=x",
  "sendInitialEvents=false&resourceVersionMatch=NotOlderThan",
  "resourceVersionMatch=Exact&resourceVersion=0",
];

/** Watches that the server ends after a second. */
export function watch(target: Target): fc.Arbitrary<Step> {
  const selection = fc.constantFrom(
    "",
    "",
    "",
    ...selectionsOfOne.filter((each) => /^(?:label|limit)/u.test(each)),
  );
  return place(target).chain(({ path, only: selector }) =>
    fc
      .tuple(
        fc.constantFrom(undefined, undefined, ...accepts),
        fc.constantFrom(...starts),
        selection,
        fc.nat(9),
      )
      .map(([accept, start, selected, choice]) => {
        const parameters = [selector, start, selected, "timeoutSeconds=1"];
        if (choice > 0) return get(withQuery(path, ["watch=1", ...parameters]), accept);
        const old = path.replace(/^\/(?:api|apis\/[^/]+)\/[^/]+/u, "$&/watch");
        return get(withQuery(old, parameters), accept);
      }),
  );
}

/** A collection, and the selector without which it would hold objects of other stories. */
function place(target: Target): fc.Arbitrary<{ readonly path: string; readonly only?: string }> {
  const path = collectionPath(target.kind);
  if (!target.kind.isNamespaced) return fc.constant({ path, only: only(target) });
  const everywhere = path.replace("/namespaces/{ns}", "");
  return fc.constantFrom(
    { path },
    { path },
    { path },
    { path: everywhere, only: "fieldSelector=metadata.namespace%3D{ns}" },
  );
}

/** Selects the object that most requests are about. */
export function only(target: Target): string {
  return `fieldSelector=metadata.name%3D${nameOfObject(target)}`;
}

function get(path: string, accept: string | undefined): Step {
  return { method: "GET", path, ...(accept && { accept }) };
}

export function withQuery(path: string, parameters: readonly (string | false | undefined)[]): string {
  const given = parameters.filter((each) => each !== undefined && each !== false && each !== "");
  return given.length === 0 ? path : `${path}?${given.join("&")}`;
}
