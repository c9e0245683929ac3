import { type CRDConversion, defaultNames, nameProblems, validateCRD } from "@tsbuilder/apimachinery/crd";
import { isConditionTrue } from "@tsbuilder/apimachinery/meta";
import { unrecognizedFormats } from "@tsbuilder/apimachinery/schema";
import { type FieldError, forbidden, invalid, required } from "@tsbuilder/apimachinery/errors";
import { checkLabel1035 } from "@tsbuilder/apimachinery/naming";
import type { ApiObject } from "../../../contract/api-object.ts";
import type { CustomResourceDefinition } from "./crd.ts";
import { approvalProblems } from "./approval.ts";
import { type Problems, choice, immutable, refused } from "../../checks/problems.ts";
import type { Strategy } from "../../../registry/resource.ts";
import { readField } from "../../cells/read-field.ts";
import { fillIn } from "../../fill-in.ts";
import { webhookClient } from "../../checks/webhook-client.ts";

/** Keeps a CRD that is being deleted until its custom resources are gone. */
export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

/** CRDs: names are defaulted, and status.storedVersions lists every version that was ever stored. */
export const definitionStrategy: Partial<Strategy> = {
  deletionFinalizers: [cleanupFinalizer],
  default(object) {
    const { spec } = object as CustomResourceDefinition;
    defaultNames(spec);
    fillIn(readField(object, "spec.conversion.webhook.clientConfig.service"), () => ({ port: 443 }));
  },
  prepareForCreate(object) {
    const crd = object as CustomResourceDefinition;
    crd.status = {
      conditions: null,
      acceptedNames: { plural: "", kind: "" },
      storedVersions: storageVersions(crd),
    };
  },
  prepareForUpdate(object: ApiObject, old: ApiObject, { subresource }) {
    if (subresource !== "") return;
    const crd = object as CustomResourceDefinition;
    const before = (old as CustomResourceDefinition).status?.storedVersions ?? [];
    const stored = [...new Set([...before, ...storageVersions(crd)])];
    crd.status = { ...crd.status, storedVersions: stored };
  },
  validate: (object) => [...definitionProblems(object as CustomResourceDefinition)],
  validateUpdate: (object, old, { subresource }) => [
    ...updateProblems(object as CustomResourceDefinition, old as CustomResourceDefinition, subresource),
  ],
  *warnings(object, old) {
    const before = new Set(formatsOf(old as CustomResourceDefinition | undefined));
    for (const format of formatsOf(object as CustomResourceDefinition)) {
      if (!before.has(format)) yield `unrecognized format ${JSON.stringify(format)}`;
    }
  },
};

function* definitionProblems(crd: CustomResourceDefinition, old?: CustomResourceDefinition): Problems {
  // The names of an existing CRD can't change, so that they need not be compared with its own.
  yield* validateCRD(old ? { ...crd, metadata: {} } : crd, conversionProblems);
  if (old) yield* changedNames(crd, old);
  yield* nameProblems("status.acceptedNames", crd.status?.acceptedNames ?? {});
  yield* validateStoredVersions(crd);
  yield* approvalProblems(crd, old);
}

/** Validates how the versions of a CRD are converted, and that its webhook can be called. */
function* conversionProblems(field: string, { strategy, webhook }: CRDConversion): Problems {
  yield* choice(`${field}.strategy`, strategy, ["None", "Webhook"]);
  // The server reports the two fields at their paths in v1beta1.
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

/** There is a storage version, and no version can be removed while objects may be stored in it. */
function validateStoredVersions(crd: CustomResourceDefinition): FieldError[] {
  const names = new Set((crd.spec?.versions ?? []).map(({ name }) => name));
  const stored = crd.status?.storedVersions ?? [];
  if (stored.length === 0) {
    return [invalid("status.storedVersions", null, "must have at least one stored version")];
  }
  return stored.flatMap((version, index) =>
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

function* updateProblems(
  crd: CustomResourceDefinition,
  old: CustomResourceDefinition,
  subresource: string,
): Problems {
  if (subresource === "") yield* definitionProblems(crd, old);
  else yield* nameProblems("status.acceptedNames", crd.status?.acceptedNames ?? {});
}

/** Objects are stored under the group and the plural; once they may exist, scope and kind can't change either. */
function* changedNames({ spec }: CustomResourceDefinition, old: CustomResourceDefinition): Problems {
  if (isConditionTrue(old.status?.conditions, "Established")) {
    yield* immutable("spec.scope", spec?.scope ?? "", old.spec.scope);
    yield* immutable("spec.names.kind", spec?.names?.kind ?? "", old.spec.names.kind);
  }
  yield* immutable("spec.group", spec?.group ?? "", old.spec.group);
  yield* immutable("spec.names.plural", spec?.names?.plural ?? "", old.spec.names.plural);
}

function formatsOf(crd: CustomResourceDefinition | undefined): string[] {
  return (crd?.spec?.versions ?? []).flatMap(({ schema }) => [
    ...unrecognizedFormats(schema?.openAPIV3Schema ?? {}),
  ]);
}

function storageVersions({ spec }: CustomResourceDefinition): string[] {
  return (spec?.versions ?? []).filter(({ storage }) => storage).map(({ name }) => name);
}
