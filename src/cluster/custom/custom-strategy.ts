import { isEqual } from "@tsbuilder/apimachinery/json";
import { compileValidator } from "@tsbuilder/apimachinery/cel";
import { type FieldError, invalid } from "@tsbuilder/apimachinery/errors";
import { type CompiledSchema, decodeMetadata, MalformedMetadataError } from "@tsbuilder/apimachinery/schema";
import { type ApiObject, replaceFields } from "../contract/api-object.ts";
import { defaultStrategy, resetNothing, resetStatus } from "../registry/default-strategy.ts";
import { badRequest, forbidden } from "../contract/status-error.ts";
import type { Strategy } from "../registry/resource.ts";
import type { CustomResourceDefinition } from "../kinds/apiextensions/custom-resource-definition/crd.ts";
import { readPath } from "./json-path.ts";

/** The strategy of custom resources, derived from the schema of each version. */
export function customStrategy(
  crd: CustomResourceDefinition,
  schemas: ReadonlyMap<string, CompiledSchema>,
  isTerminating: () => boolean,
): Strategy {
  const hasStatus = crd.spec.versions.some(({ subresources }) => subresources?.status !== undefined);
  const schemaFor = ({ version }: { version: string }) => schemas.get(version)!;
  const statusSchemas = new Map(
    crd.spec.versions.flatMap(({ name, schema }) => {
      const status = schema?.openAPIV3Schema?.properties?.["status"];
      return status ? [[name, compileValidator(status, { isResource: false })] as const] : [];
    }),
  );
  return {
    ...defaultStrategy,
    unconditionalUpdate: false,
    fieldSelectors: selectableFields(crd),
    generation: true,
    specChanged: (object, old) => !isEqual(content(object, hasStatus), content(old, hasStatus)),
    resetFields: hasStatus ? resetStatus : resetNothing,
    prepareForCreate({ metadata }) {
      if (!isTerminating()) return;
      const { group, names } = crd.spec;
      const why = "create not allowed while custom resource definition is terminating";
      throw forbidden({ group, ...names }, metadata.name ?? "", why);
    },
    default(object, context) {
      const schema = schemaFor(context);
      object.metadata = decodedMetadata(object);
      replaceFields(object, schema.applyDefaults(schema.prune(object).object));
    },
    validate: (object, context) => [
      ...schemaFor(context).validate(object),
      ...validateReplicas(object, crd, context.version),
    ],
    validateUpdate(object, old, context) {
      if (context.subresource !== "status") {
        const errors = schemaFor(context).validate(object, { old });
        return [...errors, ...validateReplicas(object, crd, context.version)];
      }
      const status = statusSchemas.get(context.version);
      return status?.validate(object["status"], { old: old["status"], path: "status" }) ?? [];
    },
  };
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
      (path) => [path.replace(/^\./, ""), (object) => readPath(object, path).map(String).join(",")] as const,
    ),
  );
}

/** With a scale subresource, the replicas fields must be non-negative integers. */
function validateReplicas(object: ApiObject, crd: CustomResourceDefinition, version: string): FieldError[] {
  const { scale } = crd.spec.versions.find(({ name }) => name === version)?.subresources ?? {};
  if (!scale) return [];
  const path = scale.specReplicasPath;
  let value: unknown = object;
  for (const field of path.slice(1).split(".")) {
    if (value === undefined || value === null) return [];
    if (typeof value !== "object") return [accessorError(path, value, "map[string]interface{}")];
    value = (value as Record<string, unknown>)[field];
  }
  if (value === undefined || value === null) return [];
  if (!Number.isInteger(value)) return [accessorError(path, value, "int64")];
  return (value as number) < 0 ? [invalid(path, value, "should be a non-negative integer")] : [];
}

function accessorError(path: string, value: unknown, expected: string): FieldError {
  const found = `${String(value)} is of the type ${goTypeOf(value)}`;
  return invalid(path, 0, `${path} accessor error: ${found}, expected ${expected}`);
}

function goTypeOf(value: unknown): string {
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/** Everything outside metadata counts as content; status only if it is not a subresource. */
function content(object: ApiObject, hasStatus: boolean): object {
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
