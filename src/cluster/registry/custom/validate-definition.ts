import { checkSchema } from "@tsbuilder/apimachinery/cel";
import { checkLabel1035, checkSubdomain } from "@tsbuilder/apimachinery/naming";
import { duplicate, type FieldError, invalid, notSupported, required } from "@tsbuilder/apimachinery/schema";
import type { CRDNames, CRDVersion, CustomResourceDefinition } from "./custom-resource-definition.ts";

/** Checks a CRD as the API server does: its names, its versions, and every schema with its rules. */
export function validateDefinition(crd: CustomResourceDefinition): FieldError[] {
  const { spec, metadata } = crd;
  if (!spec) return [required("spec.group"), required("spec.scope"), required("spec.versions")];
  const wanted = `${spec.names?.plural}.${spec.group}`;
  const errors: FieldError[] = [];
  if (metadata.name !== wanted) {
    errors.push(invalid("metadata.name", metadata.name, `must be spec.names.plural+"."+spec.group`));
  }
  errors.push(...validateGroup(crd), ...validateScope(crd), ...validateVersions(crd), ...validateNames(crd));
  for (const [index, version] of (spec.versions ?? []).entries()) {
    errors.push(...validateVersion(version, `spec.versions[${index}]`));
  }
  return [...errors, ...validateConversion(crd)];
}

function validateGroup({ spec }: CustomResourceDefinition): FieldError[] {
  if (!spec.group) return [required("spec.group")];
  const problems = checkSubdomain(spec.group).map((detail) => invalid("spec.group", spec.group, detail));
  if (problems.length === 0 && !spec.group.includes(".")) {
    return [invalid("spec.group", spec.group, "should be a domain with at least one dot")];
  }
  return problems;
}

function validateScope({ spec }: CustomResourceDefinition): FieldError[] {
  const scopes = ["Cluster", "Namespaced"];
  if (!spec.scope) return [required("spec.scope")];
  return scopes.includes(spec.scope) ? [] : [notSupported("spec.scope", spec.scope, scopes)];
}

function validateVersions({ spec }: CustomResourceDefinition): FieldError[] {
  const errors: FieldError[] = [];
  const versions = spec.versions ?? [];
  const names = new Set<string>();
  for (const [index, { name = "" }] of versions.entries()) {
    const field = `spec.versions[${index}].name`;
    for (const detail of checkLabel1035(name)) errors.push(invalid(field, name, detail));
    if (names.has(name)) errors.push(duplicate(field, name));
    names.add(name);
  }
  const stored = versions.filter(({ storage }) => storage).length;
  const storageDetail = "must have exactly one version marked as storage version";
  if (versions.length === 0) errors.push(required("spec.versions"));
  if (stored !== 1) errors.push(invalid("spec.versions", "[]", storageDetail));
  return errors;
}

function validateNames({ spec }: CustomResourceDefinition): FieldError[] {
  const errors: FieldError[] = [];
  const names: Partial<CRDNames> = spec.names ?? {};
  const { plural = "", singular = "", kind = "", listKind = "", shortNames = [], categories = [] } = names;
  for (const [field, value] of Object.entries({ plural, singular })) {
    for (const detail of checkLabel1035(value)) errors.push(invalid(`spec.names.${field}`, value, detail));
  }
  for (const [field, value] of Object.entries({ kind, listKind })) {
    const problems = checkLabel1035(value.toLowerCase());
    for (const detail of problems)
      errors.push(
        invalid(`spec.names.${field}`, value, `may have mixed case, but should otherwise match: ${detail}`),
      );
  }
  for (const [field, list] of Object.entries({ shortNames, categories })) {
    for (const [index, value] of list.entries()) {
      for (const detail of checkLabel1035(value))
        errors.push(invalid(`spec.names.${field}[${index}]`, value, detail));
    }
  }
  if (kind !== "" && kind === listKind) {
    errors.push(invalid("spec.names.listKind", listKind, "kind and listKind may not be the same"));
  }
  return errors;
}

function validateVersion(version: CRDVersion, field: string): FieldError[] {
  const schema = version.schema?.openAPIV3Schema;
  const hasStatus = version.subresources?.status !== undefined;
  const path = `${field}.schema.openAPIV3Schema`;
  const errors = schema ? checkSchema(schema, { path, hasStatus }) : [required(path, "schemas are required")];
  if (version.deprecationWarning !== undefined && !version.deprecated) {
    const detail = "can only be set for deprecated versions";
    errors.push(invalid(`${field}.deprecationWarning`, version.deprecationWarning, detail));
  }
  return [...errors, ...validateColumns(version, field), ...validateScale(version, field)];
}

const columnTypes = ["integer", "number", "string", "boolean", "date"];

function validateColumns({ additionalPrinterColumns = [] }: CRDVersion, field: string): FieldError[] {
  return additionalPrinterColumns.flatMap(({ name, type, jsonPath }, index) => {
    const at = `${field}.additionalPrinterColumns[${index}]`;
    const errors: FieldError[] = [];
    if (!name) errors.push(required(`${at}.name`));
    if (!type) errors.push(required(`${at}.type`, `must be one of ${columnTypes.join(",")}`));
    else if (!columnTypes.includes(type))
      errors.push(invalid(`${at}.type`, type, `must be one of ${columnTypes.join(",")}`));
    if (!jsonPath) errors.push(required(`${at}.jsonPath`));
    else if (!jsonPath.startsWith(".") && !jsonPath.startsWith("{")) {
      errors.push(invalid(`${at}.jsonPath`, jsonPath, "must be a simple json path starting with ."));
    }
    return errors;
  });
}

function validateScale({ subresources }: CRDVersion, field: string): FieldError[] {
  const scale = subresources?.scale;
  if (!scale) return [];
  const errors: FieldError[] = [];
  const at = `${field}.subresources.scale`;
  const paths = { specReplicasPath: ".spec.", statusReplicasPath: ".status." } as const;
  for (const [name, start] of Object.entries(paths)) {
    const value = scale[name as keyof typeof paths];
    if (!value) errors.push(required(`${at}.${name}`));
    else if (!value.startsWith(start)) {
      errors.push(invalid(`${at}.${name}`, value, `should be a json path under ${start.slice(0, -1)}`));
    }
  }
  return errors;
}

function validateConversion({ spec }: CustomResourceDefinition): FieldError[] {
  const { conversion } = spec;
  if (!conversion || conversion.strategy === "None") return [];
  if (conversion.strategy !== "Webhook") {
    return [notSupported("spec.conversion.strategy", conversion.strategy, ["None", "Webhook"])];
  }
  const field = "spec.conversion.webhook";
  if (!conversion.webhook) return [required(field, "required when strategy is set to Webhook")];
  const errors: FieldError[] = [];
  const { clientConfig, conversionReviewVersions } = conversion.webhook;
  if (!clientConfig)
    errors.push(required(`${field}.clientConfig`, "required when strategy is set to Webhook"));
  else if (!clientConfig.url === !clientConfig.service) {
    errors.push(required(`${field}.clientConfig`, "exactly one of url or service is required"));
  }
  if (conversionReviewVersions.length === 0) errors.push(required(`${field}.conversionReviewVersions`));
  return errors;
}

/** A version can't go while objects may be stored in it. */
export function validateStoredVersions(crd: CustomResourceDefinition): FieldError[] {
  const names = new Set((crd.spec.versions ?? []).map(({ name }) => name));
  return (crd.status?.storedVersions ?? []).flatMap((version, index) =>
    names.has(version)
      ? []
      : [
          invalid(
            `status.storedVersions[${index}]`,
            version,
            `missing from spec.versions; ${version} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`,
          ),
        ],
  );
}
