import type { Validator } from "@tsbuilder/apimachinery/cel";
import { type FieldError, formatFieldError, invalid } from "@tsbuilder/apimachinery/errors";
import { isEqual } from "@tsbuilder/apimachinery/json";
import { parseApiVersion } from "@tsbuilder/apimachinery/meta";
import { decodeMetadata, MalformedMetadataError } from "@tsbuilder/apimachinery/schema";
import { type ApiObject, replaceFields } from "../contract/api-object.ts";
import { defaultStrategy, resetStatus } from "../registry/default-strategy.ts";
import { badRequest, forbidden, invalidObject } from "../contract/status-error.ts";
import type { Strategy } from "../registry/resource.ts";
import type { CustomResourceDefinition } from "../kinds/apiextensions/custom-resource-definition/crd.ts";
import { warnOfFinalizers } from "./finalizer-warnings.ts";
import { readPath } from "./json-path.ts";
import { validateScale } from "./validate-scale.ts";

/** The strategy of custom resources, derived from the schema of each version. */
export function customStrategy(
  crd: CustomResourceDefinition,
  schemas: ReadonlyMap<string, Validator>,
  isTerminating: () => boolean,
): Strategy {
  const withStatus = new Set(
    crd.spec.versions
      .filter(({ subresources }) => subresources?.status !== undefined)
      .map(({ name }) => name),
  );
  const hasStatus = ({ apiVersion }: ApiObject) => withStatus.has(parseApiVersion(apiVersion).version);
  const schemaFor = ({ version }: { version: string }) => schemas.get(version)!;
  const scaleFor = ({ version }: { version: string }) =>
    crd.spec.versions.find(({ name }) => name === version)?.subresources?.scale;
  return {
    ...defaultStrategy,
    metadataChecks: { ...defaultStrategy.metadataChecks, qualifiedFinalizers: false },
    unconditionalUpdate: false,
    fieldSelectors: selectableFields(crd),
    generation: true,
    specChanged: (object, old) =>
      !isEqual(contentOf(object, hasStatus(object)), contentOf(old, hasStatus(old))),
    resetFields(object, old, subresource) {
      if (hasStatus(object)) resetStatus(object, old, subresource);
    },
    warnings: warnOfFinalizers,
    prepareForCreate(object) {
      const { metadata } = object;
      // A default of the status is only shown: no write has set it.
      if (hasStatus(object)) resetStatus(object, undefined, "");
      if (!isTerminating()) return;
      const { group, names } = crd.spec;
      const why = "create not allowed while custom resource definition is terminating";
      throw forbidden({ group, ...names }, metadata.name ?? "", why);
    },
    default(object, context) {
      const schema = schemaFor(context);
      object.metadata = decodedMetadata(object);
      const nulls = { keepNulls: context.applied === true };
      replaceFields(object, schema.applyDefaults(schema.prune(object, nulls).object, nulls));
    },
    validate(object, context) {
      checkKind(crd, object, object.metadata.name ?? "");
      // Without a name, the rules of the schema are not evaluated.
      const blocked = !object.metadata.name;
      return schemaFor(context).validate(object, {
        blocked,
        beforeRules: validateScale(object, scaleFor(context)),
      });
    },
    validateUpdate(object, old, context) {
      checkKind(crd, object, context.name);
      const schema = schemaFor(context);
      const onRatcheted = (error: FieldError): void => context.warn(formatFieldError(error));
      if (context.subresource !== "status") {
        return schema.validate(object, {
          old,
          onRatcheted,
          beforeRules: validateScale(object, scaleFor(context)),
        });
      }
      const beforeRules = validateScale(object, scaleFor(context), ["status"]);
      return schema.validateStatus(object, old, { onRatcheted, beforeRules });
    },
  };
}

/** An object of another kind is refused under its own name, and looked at no further. */
function checkKind({ spec }: CustomResourceDefinition, { kind }: ApiObject, name: string): void {
  if (kind === spec.names.kind) return;
  const subject = { group: spec.group, plural: spec.names.plural, kind };
  throw invalidObject(subject, name, [invalid("kind", kind, `must be ${spec.names.kind}`)]);
}

/** The selectable fields of a CRD; scalars are compared as text. */
function selectableFields({
  spec,
}: CustomResourceDefinition): ReadonlyMap<string, (object: ApiObject) => string> {
  const paths = spec.versions.flatMap(({ selectableFields: fields = [] }) =>
    fields.map(({ jsonPath }) => jsonPath),
  );
  return new Map(
    paths.map(
      (path) => [path.replace(/^\./, ""), (object) => readPath(object, path).map(textOf).join(",")] as const,
    ),
  );
}

/** A list or an object, which only another version can have stored, is selected by its JSON, too. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Everything outside metadata counts as content; status only if it is not a subresource. */
function contentOf(object: ApiObject, hasStatus: boolean): object {
  const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...rest } = object;
  if (hasStatus) delete rest["status"];
  return rest;
}

/** Metadata from clients has been decoded before, but webhooks may have added some that can't be decoded. */
function decodedMetadata({ metadata }: ApiObject): ApiObject["metadata"] {
  try {
    return decodeMetadata(metadata, "metadata").metadata;
  } catch (error) {
    throw error instanceof MalformedMetadataError ? badRequest(error.message) : error;
  }
}
