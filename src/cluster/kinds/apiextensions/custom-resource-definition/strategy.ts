import { defaultNames, nameProblems, validateCRD } from "@tsbuilder/apimachinery/crd";
import { isConditionTrue } from "@tsbuilder/apimachinery/meta";
import { unrecognizedFormats } from "@tsbuilder/apimachinery/schema";
import type { ApiObject } from "../../../contract/api-object.ts";
import type { CustomResourceDefinition } from "./crd.ts";
import { approvalProblems } from "./approval.ts";
import { conversionProblems } from "./validate-conversion.ts";
import { immutable, type Problems } from "../../checks/problems.ts";
import { validateStoredVersions } from "./validate-stored-versions.ts";
import type { Strategy } from "../../../registry/resource.ts";
import { readField } from "../../cells/read-field.ts";
import { fillIn } from "../../fill-in.ts";

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
