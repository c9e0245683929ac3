import { defaultNames, validateCRD } from "@tsbuilder/apimachinery/crd";
import { unrecognizedFormats } from "@tsbuilder/apimachinery/schema";
import type { ApiObject } from "../../../contract/api-object.ts";
import type { CustomResourceDefinition } from "./crd.ts";
import { approvalProblems } from "./approval.ts";
import { conversionProblems } from "./validate-conversion.ts";
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
  validate: (object) => [
    ...validateCRD(object, conversionProblems),
    ...approvalProblems(object as CustomResourceDefinition),
  ],
  validateUpdate(object, old, { subresource }) {
    const crd = object as CustomResourceDefinition;
    return subresource === ""
      ? [
          ...validateCRD(crd, conversionProblems),
          ...validateStoredVersions(crd),
          ...approvalProblems(crd, old as CustomResourceDefinition),
        ]
      : [];
  },
  *warnings(object, old) {
    const before = new Set(formatsOf(old as CustomResourceDefinition | undefined));
    for (const format of formatsOf(object as CustomResourceDefinition)) {
      if (!before.has(format)) yield `unrecognized format ${JSON.stringify(format)}`;
    }
  },
};

function formatsOf(crd: CustomResourceDefinition | undefined): string[] {
  return (crd?.spec?.versions ?? []).flatMap(({ schema }) => [
    ...unrecognizedFormats(schema?.openAPIV3Schema ?? {}),
  ]);
}

function storageVersions({ spec }: CustomResourceDefinition): string[] {
  return (spec?.versions ?? []).filter(({ storage }) => storage).map(({ name }) => name);
}
