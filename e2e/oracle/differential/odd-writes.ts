import * as fc from "fast-check";
import type { Step } from "../conformance/story.ts";
import { isDryRunOnly } from "./dry-run-only.ts";
import { collectionPath } from "./read-kinds.ts";
import { withQuery } from "./reads.ts";
import { changed, nameOfObject, pathOfObject, type Target, valid } from "./target.ts";
import { junk } from "./values.ts";

type Tree = Record<string, unknown>;

/** Writes that clients send seldom or by mistake. */
export function oddWrite(target: Target): fc.Arbitrary<Step> {
  const isCustom = target.kind.apiVersion.startsWith("{group}");
  return fc.oneof(
    ...(isCustom ? [] : [{ weight: 3, arbitrary: directives(target) }]),
    { weight: 3, arbitrary: pointers(target) },
    { weight: 1, arbitrary: malformedPatch(target) },
    { weight: 3, arbitrary: identities(target) },
    { weight: 2, arbitrary: malformedText(target) },
    { weight: 1, arbitrary: removeByQuery(target) },
    { weight: 1, arbitrary: wrongVerb(target) },
  );
}

const strategic = "application/strategic-merge-patch+json";
const json = "application/json-patch+json";

function dryRunOf({ kind }: Target): string | false {
  return isDryRunOnly(kind) && "dryRun=All";
}

/** A strategic merge patch with a directive at one of its objects or lists. */
function directives(target: Target): fc.Arbitrary<Step> {
  const directive = fc.constantFrom<Tree>(
    { $patch: "delete" },
    { $patch: "replace" },
    { $patch: "merge" },
    { $patch: "x" },
    { $patch: null },
    { $retainKeys: ["name", "type"] },
    { $retainKeys: "name" },
    { "$setElementOrder/containers": [{ name: "b" }, { name: "a" }] },
    { "$setElementOrder/ports": [{ port: 80 }, { containerPort: 80 }] },
    { "$setElementOrder/finalizers": ["b", "a"] },
    { "$deleteFromPrimitiveList/finalizers": ["a/b"] },
    { "$deleteFromPrimitiveList/args": "a" },
  );
  const path = withQuery(pathOfObject(target), [dryRunOf(target)]);
  return fc.tuple(changed(target), directive, fc.nat(), fc.nat(3)).map(([object, given, choice, how]) => {
    const { apiVersion: _, kind: __, ...body } = structuredClone(object) as unknown as Tree;
    const parents = objectsIn(body);
    const parent = parents[choice % parents.length]!;
    if (Array.isArray(parent)) parent.unshift(how === 0 ? { ...given, name: "a" } : given);
    else Object.assign(parent, given);
    return { method: "PATCH", type: strategic, path, body };
  });
}

/** The value itself, and all objects and lists within it. */
function objectsIn(value: unknown): (Tree | unknown[])[] {
  if (typeof value !== "object" || value === null) return [];
  return [value as Tree, ...Object.values(value).flatMap(objectsIn)];
}

/** A JSON patch of places within an object. */
function pointers(target: Target): fc.Arbitrary<Step> {
  const operation = fc
    .tuple(
      valid(target),
      fc.constantFrom("add", "replace", "remove", "test", "move", "copy"),
      fc.array(fc.nat(), { minLength: 2, maxLength: 2 }),
      fc.constantFrom("", "", "", "/-", "/x", "/0", "/-1", "/a~1b", "/~"),
      fc.option(junk, { nil: undefined }),
    )
    .map(([object, op, [to = 0, from = 0], end, value]) => {
      const all = pointersIn(object);
      const at = (choice: number): string => all[choice % all.length]!;
      const moves = op === "move" || op === "copy";
      return {
        op,
        path: at(to) + end,
        ...(moves && { from: at(from) }),
        ...(value !== undefined && !moves && op !== "remove" && { value }),
      };
    });
  const query = fc.constantFrom("", "fieldValidation=Strict");
  return fc.tuple(fc.array(operation, { minLength: 1, maxLength: 2 }), query).map(([body, validation]) => ({
    method: "PATCH",
    type: json,
    path: withQuery(pathOfObject(target), [validation, dryRunOf(target)]),
    body,
  }));
}

function pointersIn(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null) return [path];
  const below = Object.entries(value).flatMap(([name, child]) =>
    pointersIn(child, `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`),
  );
  return [path, ...below];
}

/** Patches that are no patches, or of another type. */
function malformedPatch(target: Target): fc.Arbitrary<Step> {
  const type = fc.constantFrom(
    json,
    "application/merge-patch+json",
    strategic,
    "application/apply-patch+yaml",
    "application/json",
    "application/merge-patch+json; charset=utf-8",
  );
  const body = fc.constantFrom(
    "",
    "null",
    "[]",
    "{}",
    "5",
    '"x"',
    "x",
    '{"a":',
    "[{}]",
    "[null]",
    '[{"op":"x","path":"/a"}]',
    '[{"op":"add","path":"a","value":1}]',
    '[{"op":"add","path":"/metadata/labels"}]',
    '[{"op":"remove","path":"/kind"}]',
    '[{"op":"replace","path":"/apiVersion","value":"v9"}]',
    '{"kind":null}',
    '{"apiVersion":null}',
    '{"metadata":null}',
    '{"metadata":{"name":null}}',
    '{"metadata":{"name":"other"}}',
    '{"metadata":{"namespace":"other"}}',
    '{"a":1,"a":2}',
  );
  const path = withQuery(pathOfObject(target), ["fieldManager=m", dryRunOf(target)]);
  return fc.tuple(type, body).map(([sent, text]) => ({ method: "PATCH", type: sent, path, body: text }));
}

/** Updates of an object that is named, or of a revision or uid, as they should be or not. `{1.…}` is the first answer's. */
function identities(target: Target): fc.Arbitrary<Step> {
  const metadata = fc.constantFrom<Tree>(
    { resourceVersion: "{1.metadata.resourceVersion}" },
    { resourceVersion: "{1.metadata.resourceVersion}", uid: "{1.metadata.uid}" },
    { resourceVersion: "1" },
    { resourceVersion: "0" },
    { resourceVersion: "x" },
    { resourceVersion: "" },
    { uid: "{1.metadata.uid}" },
    { uid: "other" },
    { name: "other" },
    { name: "" },
    { namespace: "other" },
    { namespace: "" },
    { generateName: "a-" },
    { creationTimestamp: null },
    { generation: 7 },
    { deletionTimestamp: "2026-01-01T00:00:00Z" },
    { managedFields: null },
    { managedFields: [] },
    { finalizers: ["a.b/c"] },
    { ownerReferences: [{ apiVersion: "v1", kind: "A", name: "a", uid: "u" }] },
  );
  const method = fc.constantFrom("PUT", "PUT", "merge", "apply", "POST");
  const type = fc.constantFrom<Tree>({}, {}, {}, {}, { kind: "Other" }, { apiVersion: "other/v1" });
  return fc
    .tuple(fc.oneof(valid(target), changed(target)), metadata, method, type)
    .map(([object, more, how, wrong]) => {
      const body = { ...object, ...wrong, metadata: { ...object.metadata, ...more } };
      const path = how === "POST" ? collectionPath(target.kind) : pathOfObject(target);
      if (how === "POST" || how === "PUT")
        return { method: how, path: withQuery(path, [dryRunOf(target)]), body };
      return {
        method: "PATCH",
        type: `application/${how}-patch+${how === "apply" ? "yaml" : "json"}`,
        path: withQuery(path, ["fieldManager=m1", dryRunOf(target)]),
        body: how === "apply" ? body : { metadata: more },
      };
    });
}

/** Bodies with a member twice, one that is cut off, and one with more behind it. */
function malformedText(target: Target): fc.Arbitrary<Step> {
  const validation = fc.constantFrom("", "fieldValidation=Strict", "fieldValidation=Ignore");
  const method = fc.constantFrom("POST", "PUT", "apply");
  return fc
    .tuple(valid(target), validation, method, fc.nat(5), fc.nat())
    .map(([object, query, how, kind, choice]) => {
      const named = { ...object, metadata: { ...object.metadata, name: nameOfObject(target) } };
      const path = how === "POST" ? collectionPath(target.kind) : pathOfObject(target);
      return {
        method: how === "apply" ? "PATCH" : how,
        ...(how === "apply" && { type: "application/apply-patch+yaml" }),
        path: withQuery(path, [how === "apply" && "fieldManager=m1", query, dryRunOf(target)]),
        body: damaged(JSON.stringify(named), kind, choice),
      };
    });
}

function damaged(text: string, kind: number, choice: number): string {
  if (kind === 0) return text.slice(0, choice % text.length);
  if (kind === 1) return `${text} ${text}`;
  if (kind === 2) return `${text}x`;
  if (kind === 3) return text.replace("{", '{"unknown":{"a":[1]},');
  // A member of one of the objects, once more.
  const members = [...text.matchAll(/(?<=[{,])"\w+":(?:"\w*"|\d+|true|false)(?=[,}])/gu)];
  const member = members[choice % Math.max(members.length, 1)];
  if (!member) return `[${text}]`;
  const at = member.index + member[0].length;
  return `${text.slice(0, at)},${member[0]}${text.slice(at)}`;
}

function removeByQuery(target: Target): fc.Arbitrary<Step> {
  const query = fc.constantFrom(
    "propagationPolicy=Foreground",
    "propagationPolicy=Orphan",
    "propagationPolicy=x",
    "orphanDependents=true",
    "orphanDependents=true&propagationPolicy=Background",
    "gracePeriodSeconds=0",
    "gracePeriodSeconds=x",
    "dryRun=All",
    "dryRun=x",
    "dryRun=",
    "fieldValidation=x",
  );
  const body = fc.constantFrom<unknown>(
    undefined,
    undefined,
    "",
    "{}",
    "x",
    { kind: "DeleteOptions", apiVersion: "v1", preconditions: { uid: "{1.metadata.uid}" } },
    {
      kind: "DeleteOptions",
      apiVersion: "v1",
      preconditions: { resourceVersion: "{1.metadata.resourceVersion}" },
    },
    { kind: "DeleteOptions", apiVersion: target.kind.apiVersion },
    { kind: "Pod", apiVersion: "v1" },
    { kind: "DeleteOptions", apiVersion: "v1", unknown: 1 },
    { gracePeriodSeconds: "1" },
  );
  return fc.tuple(query, body).map(([parameters, sent]) => ({
    method: "DELETE",
    path: withQuery(pathOfObject(target), [parameters, !parameters.includes("dryRun") && dryRunOf(target)]),
    ...(sent !== undefined && { body: sent }),
  }));
}

/** Verbs where they are not served, and subresources that are not there. */
function wrongVerb(target: Target): fc.Arbitrary<Step> {
  const [object, collection] = [pathOfObject(target), collectionPath(target.kind)];
  const request = fc.constantFrom(
    ["PUT", collection],
    ["PATCH", collection],
    ["POST", object],
    ["POST", `${object}/status`],
    ["DELETE", `${object}/status`],
    ["DELETE", `${object}/scale`],
    ["GET", `${object}/none`],
    ["GET", `${object}/status`],
    ["PUT", `${object}/none`],
    ["GET", `${object}/a/b`],
    ["HEAD", object],
    ["OPTIONS", object],
  );
  return fc.tuple(request, valid(target)).map(([[method, path], body]) => ({
    method,
    path: withQuery(path, [dryRunOf(target)]),
    ...(["PUT", "POST", "PATCH"].includes(method) && { body }),
  }));
}
