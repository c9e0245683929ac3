import { formatFieldError } from "@tsbuilder/apimachinery/errors";
import type { CRDVersion } from "@tsbuilder/apimachinery/crd";
import { createHash } from "node:crypto";
import {
  type CompiledSchema,
  decodeMetadata,
  type JSONSchema,
  MalformedMetadataError,
} from "@tsbuilder/apimachinery/schema";
import { compareVersions } from "@tsbuilder/apimachinery/naming";
import { DecodeError } from "@tsbuilder/apimachinery/kinds";
import type { ApiObject } from "../contract/api-object.ts";
import type { Collection } from "../storage/collection.ts";
import { objectNode } from "./object-node.ts";
import type { ObjectSchema } from "../registry/object-schema.ts";
import type { Resource, ResourceVersion, ScalePaths, SubresourceInfo, Verb } from "../registry/resource.ts";
import { customColumns } from "./custom-columns.ts";
import type { CustomResourceDefinition } from "../kinds/apiextensions/custom-resource-definition/crd.ts";
import { customStrategy } from "./custom-strategy.ts";
import { type ConvertObjects, CustomVersions } from "./custom-versions.ts";
import { scaleProblem } from "./validate-scale.ts";
import { validatorOf } from "./validators.ts";

export type { ConvertObjects } from "./custom-versions.ts";

const verbs: readonly Verb[] = [
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "create",
  "update",
  "watch",
];

interface CustomResourceContext {
  readonly collection: Collection;
  readonly convert: ConvertObjects;
  /** Whether the CRD is being deleted: its objects can be changed and deleted, but none can be created. */
  readonly isTerminating: () => boolean;
}

/** Makes the resource that a CRD defines. A changed CRD makes a new resource with the same collection. */
export function customResource(
  crd: CustomResourceDefinition,
  { collection, convert, isTerminating }: CustomResourceContext,
): Resource {
  const { group, scope } = crd.spec;
  const accepted = crd.status?.acceptedNames;
  const names = { ...crd.spec.names, ...(accepted?.plural && accepted) };
  const schemas = new Map(
    crd.spec.versions.map(
      ({ name, schema }) => [name, validatorOf(schema?.openAPIV3Schema ?? permissive)] as const,
    ),
  );
  const storageVersion = crd.spec.versions.find(({ storage }) => storage)!.name;
  const versions = new CustomVersions(crd, schemas, convert);
  return {
    group,
    plural: names.plural,
    kind: names.kind,
    singular: names.singular ?? names.kind.toLowerCase(),
    listKind: names.listKind ?? `${names.kind}List`,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    namespaced: scope === "Namespaced",
    verbs,
    versions: crd.spec.versions.filter(({ served }) => served).map((version) => versionOf(crd, version)),
    unserved: crd.spec.versions.filter(({ served }) => !served).map((version) => versionOf(crd, version)),
    storageVersion,
    storageVersionHash: hashOf(`${group}/${storageVersion}/${names.kind}`),
    collection,
    strategy: customStrategy(crd, schemas, isTerminating),
    subresources: new Map(crd.spec.versions.flatMap((version) => [...subresourcesOf(version)])),
    custom: true,
    renamesVersions: crd.spec.conversion?.strategy !== "Webhook",
    present: (entry, version) => versions.present(entry, version),
    presentAll: (entries, version) => versions.presentAll(entries, version),
    convert: (object, version) => versions.convert(object, version),
  };
}

/** The storage version hash of discovery. */
function hashOf(text: string): string {
  return createHash("sha256").update(text).digest().subarray(0, 8).toString("base64");
}

const permissive: JSONSchema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

function versionOf(crd: CustomResourceDefinition, version: CRDVersion): ResourceVersion {
  const { scale } = version.subresources ?? {};
  return {
    name: version.name,
    ...(version.deprecated && { deprecation: version.deprecationWarning ?? deprecationOf(crd, version) }),
    schema: schemaOf(version),
    columns: customColumns(version),
    subresources: subresourcesOf(version),
    ...(scale && { scale: scalePaths(scale) }),
  };
}

/** Names the version of the highest priority that is better than the deprecated one. */
function deprecationOf(
  { spec: { group, names, versions } }: CustomResourceDefinition,
  { name }: CRDVersion,
): string {
  const [better] = versions
    .filter((other) => other.served && !other.deprecated && compareVersions(other.name, name) < 0)
    .map((other) => other.name)
    .toSorted(compareVersions);
  const use = better === undefined ? "" : `; use ${group}/${better} ${names.kind}`;
  return `${group}/${name} ${names.kind} is deprecated${use}`;
}

function schemaOf({ schema }: CRDVersion): ObjectSchema {
  const root = schema?.openAPIV3Schema ?? permissive;
  const compiled: CompiledSchema = validatorOf(root);
  return {
    compiled,
    node: objectNode(root),
    unknownFields(object) {
      const inMetadata = unknownMetadata(object as ApiObject);
      const { unknown, malformed } = compiled.prune(object);
      if (malformed) throw new DecodeError(formatFieldError(malformed));
      return [...inMetadata, ...unknown];
    },
  };
}

function unknownMetadata({ metadata }: ApiObject): readonly string[] {
  try {
    return decodeMetadata(metadata ?? {}, "metadata").unknown;
  } catch (error) {
    throw error instanceof MalformedMetadataError ? new DecodeError(error.message) : error;
  }
}

const scaleKind = { group: "autoscaling", version: "v1", kind: "Scale" };

/** In a CRD these paths begin with a dot. */
function scalePaths(scale: NonNullable<NonNullable<CRDVersion["subresources"]>["scale"]>): ScalePaths {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale;
  return {
    spec: specReplicasPath.slice(1),
    status: statusReplicasPath.slice(1),
    ...(labelSelectorPath && { selector: labelSelectorPath.slice(1) }),
    problem: (object) => scaleProblem(object, scale),
  };
}

function subresourcesOf(version: CRDVersion): Map<string, SubresourceInfo> {
  const found = new Map<string, SubresourceInfo>();
  const { status, scale } = version.subresources ?? {};
  if (status) found.set("status", { verbs: ["get", "patch", "update"] });
  if (scale) found.set("scale", { verbs: ["get", "patch", "update"], body: scaleKind });
  return found;
}
