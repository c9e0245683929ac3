import * as fc from "fast-check";
import { stringify } from "yaml";
import type { Step } from "../conformance/story.ts";
import { mutated } from "./mutate.ts";
import { isDryRunOnly } from "./dry-run-only.ts";
import { collectionPath, type Kind } from "./read-kinds.ts";
import type { Sample } from "./samples.ts";

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
    { weight: 1, arbitrary: remove(target) },
    ...(kind.subresources.includes("scale") ? [{ weight: 2, arbitrary: scale(target) }] : []),
  );
  return fc
    .tuple(created, fc.array(later, { minLength: 2, maxLength: 7 }))
    .map(([one, more]) => [one, ...more]);
}

interface Target {
  readonly kind: Kind;
  readonly samples: readonly Sample[];
}

function valid({ kind, samples }: Target): fc.Arbitrary<Sample> {
  return fc.tuple(fc.constantFrom(...samples), fc.constantFrom("a", "a", "a", "b")).map(([sample, name]) => {
    if (sample.metadata?.name === undefined || keepsItsName(kind)) return sample;
    return { ...sample, metadata: { ...sample.metadata, name: nameIn(kind, name) } };
  });
}

function changed(target: Target): fc.Arbitrary<Sample> {
  const { schema, schemas } = target.kind;
  return valid(target).chain((object) => mutated(object, schema, schemas) as fc.Arbitrary<Sample>);
}

/** The namespace of a story is its own, so are the names of what lies in no namespace. */
function nameIn({ isNamespaced }: Kind, name: string): string {
  return isNamespaced ? name : `{ns}-${name}`;
}

/** Kinds whose names follow from what they hold. */
function keepsItsName({ kind }: Kind): boolean {
  return ["APIService", "CustomResourceDefinition", "IPAddress", "CSINode"].includes(kind);
}

/** The object that most of the requests are about. */
function pathOfObject({ kind, samples }: Target): string {
  const name = keepsItsName(kind) ? (samples[0]!.metadata?.name ?? "a") : nameIn(kind, "a");
  return `${collectionPath(kind)}/${name}`;
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
  return fc.tuple(options(target), fc.nat(9)).map(([query, choice]) => ({
    method: "POST",
    path: `${collectionPath(target.kind)}${query}`,
    ...(choice === 0 ? { type: "application/yaml", body: stringify(body) } : { body }),
  }));
}

function below(target: Target): fc.Arbitrary<string> {
  return target.kind.subresources.includes("status")
    ? fc.constantFrom("", "", "", "/status")
    : fc.constant("");
}

function update(target: Target): fc.Arbitrary<Step> {
  return fc.tuple(changed(target), options(target), below(target)).map(([body, query, subresource]) => ({
    method: "PUT",
    path: `${pathOfObject(target)}${subresource}${query}`,
    body,
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
      body: { ...body, metadata: { ...body.metadata, name: pathOfObject(target).split("/").at(-1) } },
    });
  });
}

const accepts = [
  undefined,
  "application/json;as=Table;v=v1;g=meta.k8s.io",
  "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
  "application/yaml",
  "text/html",
];

function read(target: Target): fc.Arbitrary<Step> {
  const query = fc.constantFrom(
    "",
    "",
    "?resourceVersion=0",
    "?resourceVersion=1",
    "?resourceVersion=x",
    "?pretty=true",
  );
  const subresource = fc.constantFrom(
    "",
    ...target.kind.subresources.filter((name) => /^(?:status|scale)$/u.test(name)),
  );
  return fc.tuple(fc.constantFrom(...accepts), query, subresource).map(([accept, parameters, name]) => ({
    method: "GET",
    path: `${pathOfObject(target)}${name && `/${name}`}${parameters}`,
    ...(accept && { accept }),
  }));
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

/** Lists of namespaced kinds only: of the others there are those of other stories. */
function list(target: Target): fc.Arbitrary<Step> {
  if (!target.kind.isNamespaced) return read(target);
  const query = fc.subarray(selections, { minLength: 0, maxLength: 2 }).map((all) => all.join("&"));
  return fc
    .tuple(fc.constantFrom(...accepts.map((accept) => accept?.replace("Metadata", "MetadataList"))), query)
    .map(([accept, parameters]) => ({
      method: "GET",
      path: `${collectionPath(target.kind)}${parameters && `?${parameters}`}`,
      ...(accept && { accept }),
    }));
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
    path: `${isCollection && target.kind.isNamespaced ? collectionPath(target.kind) : pathOfObject(target)}${isDryRunOnly(target.kind) ? "?dryRun=All" : ""}`,
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
