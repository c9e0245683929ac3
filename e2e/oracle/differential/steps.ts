import * as fc from "fast-check";
import { stringify } from "yaml";
import type { Step } from "../conformance/story.ts";
import { isDryRunOnly } from "./dry-run-only.ts";
import { oddWrite } from "./odd-writes.ts";
import { collectionPath, type Kind } from "./read-kinds.ts";
import { list, only, read, watch, withQuery } from "./reads.ts";
import type { Sample } from "./samples.ts";
import { changed, nameOfObject, pathOfObject, type Target, valid } from "./target.ts";

/** The requests of one story: they follow on each other, about at most two objects of one kind. */
export function stepsOn(kind: Kind, samples: readonly Sample[]): fc.Arbitrary<readonly Step[]> {
  const target = { kind, samples };
  const first = fc.oneof({ weight: 2, arbitrary: valid(target) }, { weight: 1, arbitrary: changed(target) });
  const created = first.chain((body) => create(target, body));
  if (!kind.verbs.includes("get")) return fc.array(created, { minLength: 1, maxLength: 3 });
  const later = fc.oneof(
    { weight: 3, arbitrary: changed(target).chain((body) => create(target, body)) },
    { weight: 3, arbitrary: update(target) },
    { weight: 3, arbitrary: mergePatch(target) },
    { weight: 1, arbitrary: jsonPatch(target) },
    { weight: 3, arbitrary: apply(target) },
    { weight: 2, arbitrary: read(target) },
    { weight: 1, arbitrary: list(target) },
    { weight: 1, arbitrary: watch(target) },
    { weight: 1, arbitrary: remove(target) },
    { weight: 3, arbitrary: oddWrite(target) },
    ...(kind.subresources.includes("scale") ? [{ weight: 2, arbitrary: scale(target) }] : []),
  );
  return fc
    .tuple(created, fc.array(later, { minLength: 2, maxLength: 7 }))
    .map(([one, more]) => [one, ...more]);
}

const validation = fc.constantFrom(
  "",
  "",
  "",
  "fieldValidation=Strict",
  "fieldValidation=Warn",
  "fieldValidation=Ignore",
);

/** Query parameters of a write. */
function options({ kind }: Target, ...more: readonly string[]): fc.Arbitrary<string> {
  const dryRun = isDryRunOnly(kind)
    ? fc.constant("dryRun=All")
    : fc.constantFrom("", "", "", "", "dryRun=All");
  const manager = fc.constantFrom("", "", "fieldManager=m");
  return fc.tuple(dryRun, validation, manager).map((given) => {
    const parameters = [...given, ...more].filter((each) => each !== "");
    return parameters.length === 0 ? "" : `?${parameters.join("&")}`;
  });
}

function create(target: Target, body: object): fc.Arbitrary<Step> {
  return fc.tuple(options(target), encodings(target)).map(([query, encoding]) => ({
    method: "POST",
    path: `${collectionPath(target.kind)}${query}`,
    ...encoded(body, encoding),
  }));
}

const protobuf = "application/vnd.kubernetes.protobuf";

/**
 * One write in ten is in YAML, one in ten in protobuf, as Go's typed clients send it; of custom kinds none, because the
 * code of the real server panics.
 */
function encodings({ kind }: Target): fc.Arbitrary<string> {
  const isCustom = kind.apiVersion.startsWith("{group}");
  return fc.nat(9).map((choice) => ["yaml", isCustom ? "json" : "protobuf"][choice] ?? "json");
}

function encoded(body: object, encoding: string): Pick<Step, "type" | "accept" | "body"> {
  if (encoding === "yaml") return { type: "application/yaml", body: stringify(body) };
  if (encoding === "protobuf") return { type: protobuf, accept: `${protobuf},application/json`, body };
  return { body };
}

function below(target: Target): fc.Arbitrary<string> {
  return target.kind.subresources.includes("status")
    ? fc.constantFrom("", "", "", "/status")
    : fc.constant("");
}

function update(target: Target): fc.Arbitrary<Step> {
  return fc
    .tuple(changed(target), options(target), below(target), encodings(target))
    .map(([body, query, subresource, encoding]) => ({
      method: "PUT",
      path: `${pathOfObject(target)}${subresource}${query}`,
      ...encoded(body, encoding),
    }));
}

/** A patch that sets what a change of the object would have set. */
function mergePatch(target: Target): fc.Arbitrary<Step> {
  const types = fc.constantFrom("application/merge-patch+json", "application/strategic-merge-patch+json");
  return fc
    .tuple(changed(target), fc.nat(), types, options(target), below(target))
    .map(([body, choice, type, query, subresource]) => ({
      method: "PATCH",
      type,
      path: `${pathOfObject(target)}${subresource}${query}`,
      body: oneMember(body, choice),
    }));
}

/** An object without its type and all members but one. */
function oneMember(object: object, choice: number): object {
  const members = Object.entries(object).filter(([name]) => name !== "apiVersion" && name !== "kind");
  const [name, value] = members[choice % members.length] ?? ["metadata", {}];
  return { [name]: value as unknown };
}

function jsonPatch(target: Target): fc.Arbitrary<Step> {
  const operation = fc
    .tuple(changed(target), fc.nat(), fc.constantFrom("add", "replace", "remove", "test"))
    .map(([body, choice, op]) => {
      const [[name, value] = ["metadata", {}]] = Object.entries(oneMember(body, choice));
      return { op, path: `/${name}`, ...(op !== "remove" && { value: value as unknown }) };
    });
  return fc.tuple(fc.array(operation, { maxLength: 2 }), options(target)).map(([body, query]) => ({
    method: "PATCH",
    type: "application/json-patch+json",
    path: `${pathOfObject(target)}${query}`,
    body,
  }));
}

function apply(target: Target): fc.Arbitrary<Step> {
  const manager = fc.constantFrom("m1", "m2", "");
  const force = fc.constantFrom("", "", "force=true");
  const object = fc.oneof(valid(target), changed(target));
  return fc.tuple(object, manager, force, below(target)).chain(([body, name, forced, subresource]) => {
    const parameters = [name && `fieldManager=${name}`, forced, isDryRunOnly(target.kind) && "dryRun=All"];
    const query = parameters.filter((each) => each !== "" && each !== false).join("&");
    return fc.constant({
      method: "PATCH",
      type: "application/apply-patch+yaml",
      path: `${pathOfObject(target)}${subresource}${query === "" ? "" : `?${query}`}`,
      body: { ...body, metadata: { ...body.metadata, name: nameOfObject(target) } },
    });
  });
}

function remove(target: Target): fc.Arbitrary<Step> {
  const body = fc.constantFrom<object | undefined>(
    undefined,
    { propagationPolicy: "Background" },
    { propagationPolicy: "Foreground" },
    { propagationPolicy: "Bogus" },
    { orphanDependents: true },
    { gracePeriodSeconds: 0 },
    { gracePeriodSeconds: -1 },
    { preconditions: { uid: "x" } },
    { preconditions: { resourceVersion: "1" } },
    { dryRun: ["All"] },
    { dryRun: ["x"] },
  );
  return fc.tuple(body, fc.boolean()).map(([given, isCollection]) => ({
    method: "DELETE",
    path: withQuery(isCollection ? collectionPath(target.kind) : pathOfObject(target), [
      isCollection && !target.kind.isNamespaced && only(target),
      isDryRunOnly(target.kind) && "dryRun=All",
    ]),
    ...(given && { body: { apiVersion: "v1", kind: "DeleteOptions", ...given } }),
  }));
}

function scale(target: Target): fc.Arbitrary<Step> {
  const replicas = fc.constantFrom<unknown>(0, 1, 3, -1, null, "2", 2 ** 31);
  const path = `${pathOfObject(target)}/scale`;
  return fc.tuple(replicas, fc.boolean()).map(([count, isPatch]) =>
    isPatch
      ? { method: "PATCH", type: "application/merge-patch+json", path, body: { spec: { replicas: count } } }
      : {
          method: "PUT",
          path,
          body: {
            apiVersion: "autoscaling/v1",
            kind: "Scale",
            metadata: { name: "a", namespace: "{ns}" },
            spec: { replicas: count },
          },
        },
  );
}
