import type { CRDSpec, CRDConversion, CRDStatus, CRDVersion } from "@tsbuilder/apimachinery/crd";
import { defaultNames, nameProblems, validateCRD } from "@tsbuilder/apimachinery/crd";
import { type Condition, isConditionTrue } from "@tsbuilder/apimachinery/meta";
import { parseRequestURI, unrecognizedFormats } from "@tsbuilder/apimachinery/schema";
import { forbidden, invalid, required, ruled } from "@tsbuilder/apimachinery/errors";
import type { BuiltInKind } from "../built-in-kind.ts";
import type { SentObject, ApiObject } from "../../contract/api-object.ts";
import { type Problems, choice, immutable, itemsOf } from "../checks/problems.ts";
import { readField } from "../cells.ts";
import { fillIn } from "../fill-in.ts";
import { reviewVersionProblems, unusableBundle, webhookClientProblems } from "../checks/webhook-client.ts";

/** Keeps a CRD that is being deleted until its custom resources are gone. */
export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

export type CustomResourceDefinition = SentObject<CRDSpec, CRDStatus>;

export const customResourceDefinition: BuiltInKind = {
  resource: "customresourcedefinitions.apiextensions.k8s.io",
  metadataChecks: { qualifiedFinalizers: false },
  /** CRDs: names are defaulted, and status.storedVersions lists every version that was ever stored. */
  strategy: {
    statusWritesMetadata: true,
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
    validateUpdate: (object, old, { subresource }) =>
      subresource === ""
        ? [...definitionProblems(object as CustomResourceDefinition, old as CustomResourceDefinition)]
        : [...acceptedNameProblems(object as CustomResourceDefinition)],
    *warnings(object, old) {
      const before = new Set(unknownFormats(old as CustomResourceDefinition | undefined));
      for (const format of unknownFormats(object as CustomResourceDefinition)) {
        if (!before.has(format)) yield `unrecognized format ${JSON.stringify(format)}`;
      }
    },
  },
};

function* definitionProblems(crd: CustomResourceDefinition, old?: CustomResourceDefinition): Problems {
  // The names of an existing CRD can't change, so that they need not be compared with its own.
  yield* validateCRD(old ? { ...crd, metadata: {} } : crd, function* (field, conversion) {
    yield* conversionProblems(field, conversion);
    if (old && isEstablished(old)) yield* bundleProblems(field, conversion);
  });
  if (old) yield* nameChanges(crd, old);
  if (old) yield* prunedVersionProblems(crd, old);
  yield* acceptedNameProblems(crd);
  yield* storedVersionProblems(crd);
  yield* approvalProblems(crd, old);
}

/** A CRD that was stored with versions without a schema may have such versions, but serves none of which it would prune all. */
function* prunedVersionProblems({ spec }: CustomResourceDefinition, old: CustomResourceDefinition): Problems {
  const hasNoSchema = ({ schema }: CRDVersion): boolean => !schema?.openAPIV3Schema;
  if (spec?.preserveUnknownFields || !old.spec.versions.some(hasNoSchema)) return;
  for (const [at, version] of itemsOf("spec.versions", spec?.versions)) {
    if (version.served && hasNoSchema(version))
      yield required(`${at}.schema.openAPIV3Schema`, "because otherwise all fields are pruned");
  }
}

function acceptedNameProblems({ status }: CustomResourceDefinition): Problems {
  return nameProblems("status.acceptedNames", status?.acceptedNames ?? {});
}

const approvalAnnotation = "api-approved.kubernetes.io";

/** The groups of Kubernetes' own projects are protected: their CRDs name the review of their API, or why there is none. */
function* approvalProblems(crd: CustomResourceDefinition, old?: CustomResourceDefinition): Problems {
  const approval = approvalOf(crd);
  if (!approval || (old && approvalOf(old)?.state === approval.state)) return;
  const field = `metadata.annotations[${approvalAnnotation}]`;
  if (approval.state === "Missing") yield required(field, approval.message);
  if (approval.state === "Invalid") {
    yield invalid(field, crd.metadata.annotations?.[approvalAnnotation], approval.message);
  }
}

/** Returns the condition about the approval of a CRD; undefined if its group is not protected. */
export function approvalCondition(
  crd: CustomResourceDefinition,
): Omit<Condition, "lastTransitionTime"> | undefined {
  const approval = approvalOf(crd);
  return (
    approval && {
      type: "KubernetesAPIApprovalPolicyConformant",
      status: approval.state === "Approved" ? "True" : "False",
      reason: `${approval.state}Annotation`,
      message: approval.message,
    }
  );
}

const approvalRule = `protected groups must have approval annotation ${JSON.stringify(approvalAnnotation)}`;
const approvalReference = "see https://github.com/kubernetes/enhancements/pull/1111";
const approvalForm = `${approvalRule} with either a URL or a reason starting with "unapproved", ${approvalReference}`;

interface Approval {
  readonly state: "Missing" | "Unapproved" | "Approved" | "Invalid";
  readonly message: string;
}

/** Reads the approval of a CRD from its annotation; undefined if its group is not protected. */
function approvalOf({ spec, metadata }: CustomResourceDefinition): Approval | undefined {
  if (!/(?:^|\.)(?:k8s|kubernetes)\.io$/u.test(spec?.group ?? "")) return undefined;
  const text = metadata.annotations?.[approvalAnnotation] ?? "";
  if (text === "") return { state: "Missing", message: `${approvalRule}, ${approvalReference}` };
  if (text.startsWith("unapproved")) {
    return { state: "Unapproved", message: `not approved: ${JSON.stringify(text)}` };
  }
  const url = parseRequestURI(text);
  if (url?.host && url.scheme) return { state: "Approved", message: `approved in ${text}` };
  return { state: "Invalid", message: approvalForm };
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
  else yield* webhookClientProblems(client, webhook.clientConfig);
  yield* reviewVersionProblems(reviews, webhook?.conversionReviewVersions ?? []);
}

/** Until a CRD is established, and if the stored bundle is unusable as well, such a bundle is accepted. */
function* bundleProblems(field: string, { webhook }: CRDConversion): Problems {
  const { caBundle } = webhook?.clientConfig ?? {};
  const reason = unusableBundle(caBundle);
  if (reason) yield* ruled("bundle", [invalid(`${field}.webhookClientConfig.caBundle`, caBundle, reason)]);
}

/** Validates storedVersions: a version in which objects may be stored can't be removed from the spec. */
function* storedVersionProblems(crd: CustomResourceDefinition): Problems {
  const field = "status.storedVersions";
  const names = new Set((crd.spec?.versions ?? []).map(({ name }) => name));
  const stored = crd.status?.storedVersions ?? [];
  if (stored.length === 0) yield invalid(field, null, "must have at least one stored version");
  for (const [index, version] of stored.entries()) {
    if (names.has(version)) continue;
    const detail = `missing from spec.versions; ${version} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`;
    yield invalid(`${field}[${index}]`, version, detail);
  }
}

/** Objects are stored under the group and the plural; once they may exist, scope and kind can't change either. */
function* nameChanges({ spec }: CustomResourceDefinition, old: CustomResourceDefinition): Problems {
  if (isEstablished(old)) {
    yield* immutable("spec.scope", spec?.scope ?? "", old.spec.scope);
    yield* immutable("spec.names.kind", spec?.names?.kind ?? "", old.spec.names.kind);
  }
  yield* immutable("spec.group", spec?.group ?? "", old.spec.group);
  yield* immutable("spec.names.plural", spec?.names?.plural ?? "", old.spec.names.plural);
}

function isEstablished({ status }: CustomResourceDefinition): boolean {
  return isConditionTrue(status?.conditions, "Established");
}

function unknownFormats(crd: CustomResourceDefinition | undefined): string[] {
  return (crd?.spec?.versions ?? []).flatMap(({ schema }) => [
    ...unrecognizedFormats(schema?.openAPIV3Schema ?? {}),
  ]);
}

function storageVersions({ spec }: CustomResourceDefinition): string[] {
  return (spec?.versions ?? []).filter(({ storage }) => storage).map(({ name }) => name);
}
