import { type FieldError, forbidden } from "@tsbuilder/apimachinery/errors";
import type { ApiObject } from "../contract/api-object.ts";
import {
  checkDescriptions,
  checkFinalizers,
  checkGeneration,
  checkImmutable,
  checkNames,
  checkQualifiedFinalizers,
} from "./metadata-checks.ts";
import type { MetadataCheck, Resource } from "./resource.ts";
import { pathSegmentName } from "./validate-name.ts";

/** The validation of a new object's metadata by its kind. */
export function validateNewMetadata(object: ApiObject, resource: Resource): FieldError[] {
  const { metadataChecks } = resource.strategy;
  return metadataChecks.create.flatMap((check) => runCheck(check, object, object, resource));
}

/** What the registry checks for every kind, after the kind has found no errors. */
export function validateAnyMetadata(object: ApiObject, resource: Resource): FieldError[] {
  return checkAsNew(object, resource, pathSegmentName);
}

/** Validates the metadata of an update: the registry does so for every kind, and then the kind. */
export function validateUpdatedMetadata(
  object: ApiObject,
  old: ApiObject,
  resource: Resource,
  subresource: string,
): FieldError[] {
  const { metadataChecks } = resource.strategy;
  const own = subresource === "status" ? metadataChecks.status : metadataChecks.update;
  return [
    ...validateAnyMetadata(object, resource),
    ...checkAsUpdate(object, old),
    ...own.flatMap((check) => runCheck(check, object, old, resource)),
  ];
}

/** Validates metadata as one of the checks of a kind. */
export function runCheck(
  check: MetadataCheck,
  object: ApiObject,
  old: ApiObject,
  resource: Resource,
): readonly FieldError[] {
  const { metadataChecks, validateName } = resource.strategy;
  const { finalizers } = object.metadata;
  return [
    ...(check === "new" ? checkAsNew(object, resource, validateName) : checkAsUpdate(object, old)),
    ...(metadataChecks.qualifiedFinalizers ? checkQualifiedFinalizers(finalizers) : []),
  ];
}

function checkAsNew(
  { metadata }: ApiObject,
  { namespaced }: Resource,
  validateName: (name: string, prefix: boolean) => string[],
): FieldError[] {
  return [
    ...checkNames(metadata, validateName),
    ...(!namespaced && metadata.namespace
      ? [forbidden("metadata.namespace", "not allowed on this type")]
      : []),
    ...checkGeneration(metadata),
    ...checkDescriptions(metadata),
    ...checkFinalizers(metadata.finalizers),
  ];
}

function checkAsUpdate({ metadata }: ApiObject, old: ApiObject): FieldError[] {
  return [...checkImmutable(metadata, old.metadata), ...checkDescriptions(metadata)];
}
