import { checkLabel1035, checkSubdomain } from "@tsbuilder/apimachinery/naming";
import { type FieldError, forbidden, invalid, required } from "@tsbuilder/apimachinery/schema";
import { choice, type Problems, refused } from "../built-in/kinds/checks/problems.ts";
import { webhookClient } from "../built-in/kinds/checks/webhook-client.ts";
import type { CRDConversion, CRDNames, CustomResourceDefinition } from "./custom-resource-definition.ts";
import { sharedProblems, versionProblems } from "./validate-versions.ts";

/** Checks a CRD as the API server does: its names, its versions, and every schema with its rules. */
export function validateDefinition(crd: CustomResourceDefinition): FieldError[] {
  if (!crd.spec) return [required("spec.group"), required("spec.scope"), required("spec.versions")];
  return [...definitionProblems(crd)];
}

function* definitionProblems({ spec, metadata }: CustomResourceDefinition): Problems {
  if (metadata.name !== `${spec.names?.plural}.${spec.group}`) {
    yield invalid("metadata.name", metadata.name, `must be spec.names.plural+"."+spec.group`);
  }
  const { group = "", versions = [], names = {} } = spec as Partial<CustomResourceDefinition["spec"]>;
  const problems = checkSubdomain(group);
  if (group === "") yield required("spec.group");
  else if (problems.length > 0) yield invalid("spec.group", group, problems.join(","));
  else if (!group.includes(".")) {
    yield invalid("spec.group", group, "should be a domain with at least one dot");
  }
  yield* choice("spec.scope", spec.scope, ["Cluster", "Namespaced"]);
  yield* versionProblems(versions);
  // The first version is the CRD's own, too.
  yield* label("spec.version", versions[0]?.name);
  yield* nameProblems("spec.names", names);
  yield* sharedProblems(versions);
  if (spec.conversion) yield* conversionProblems("spec.conversion", spec.conversion);
  if (versions.every(({ storage }) => !storage)) {
    yield invalid("status.storedVersions", null, "must have at least one stored version");
  }
  if (spec.preserveUnknownFields) {
    const detail =
      "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
    yield invalid("spec.preserveUnknownFields", true, detail);
  }
}

function* nameProblems(field: string, names: Partial<CRDNames>): Problems {
  for (const name of ["plural", "singular", "kind", "listKind"] as const) {
    if (!names[name]) yield required(`${field}.${name}`);
  }
  for (const name of ["plural", "singular"] as const) yield* label(`${field}.${name}`, names[name]);
  for (const name of ["kind", "listKind"] as const) {
    const value = names[name] ?? "";
    const reasons = value === "" ? [] : checkLabel1035(value.toLowerCase());
    if (reasons.length === 0) continue;
    const detail = `may have mixed case, but should otherwise match: ${reasons.join(",")}`;
    yield invalid(`${field}.${name}`, value, detail);
  }
  for (const [index, name] of (names.shortNames ?? []).entries()) {
    yield* label(`${field}.shortNames[${index}]`, name);
  }
  if (names.kind && names.kind === names.listKind) {
    yield invalid(`${field}.listKind`, names.listKind, "kind and listKind may not be the same");
  }
  for (const [index, name] of (names.categories ?? []).entries()) {
    yield* label(`${field}.categories[${index}]`, name);
  }
}

function* label(field: string, name = ""): Problems {
  const reasons = name === "" ? [] : checkLabel1035(name);
  if (reasons.length > 0) yield invalid(field, name, reasons.join(","));
}

function* conversionProblems(field: string, { strategy, webhook }: CRDConversion): Problems {
  yield* choice(`${field}.strategy`, strategy, ["None", "Webhook"]);
  // The server knows the two parts by their places of old.
  const client = `${field}.webhookClientConfig`;
  const reviews = `${field}.conversionReviewVersions`;
  if (strategy !== "Webhook") {
    const refusal = "should not be set when strategy is not set to Webhook";
    if (webhook?.clientConfig) yield forbidden(client, refusal);
    if (webhook?.conversionReviewVersions?.length) yield forbidden(reviews, refusal);
    return;
  }
  if (!webhook?.clientConfig) yield required(client, "required when strategy is set to Webhook");
  else yield* webhookClient(client, webhook.clientConfig);
  yield* reviewVersions(reviews, webhook?.conversionReviewVersions ?? []);
}

function* reviewVersions(field: string, versions: readonly string[]): Problems {
  if (versions.length === 0) return yield required(field);
  for (const [index, version] of versions.entries()) {
    if (versions.indexOf(version) < index) yield invalid(`${field}[${index}]`, version, "duplicate version");
    else yield* refused(`${field}[${index}]`, version, checkLabel1035(version));
  }
  if (!versions.some((version) => version === "v1" || version === "v1beta1")) {
    yield invalid(field, versions, "must include at least one of v1, v1beta1");
  }
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
