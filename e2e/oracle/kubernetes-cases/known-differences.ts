import type { ComparedCase } from "./compare.ts";

/** Classes of cases whose verdict differs, each by a part of its name, with the reason. */
const known: ReadonlyArray<readonly [part: string, reason: string]> = [
  ["too complex, exceeds cost limit", "the cost of CEL selectors of devices is not estimated"],
  ["spec.ipFamilyPolicy", "an update to RequireDualStack keeps the families that the Service has"],
  [
    "taints[…].effect",
    "Kubernetes compares each taint with the old one at its place; here all of an object count",
  ],
  ["attributes[…] FieldValueInvalid", "an attribute of a type that the server does not know"],
  [
    "cannot update non-convertible selector",
    "an annotation of selectors that extensions/v1beta1 could not express",
  ],
  [
    "exists in both matchLabelKeys and labelSelector",
    "matchLabelKeys are not merged into the selectors of spread constraints",
  ],
  ["a valid label must be", "stored selectors of workloads with such values may stay there"],
  ["Required value: must be 'test'", "Jobs that were stored before their labels had prefixes need none"],
  [
    "positive integer multiple of hugepages",
    "templates of workloads don't keep what older releases accepted in them",
  ],
  ["provided port is already allocated", "three protocols that share a node port in one dry run"],
  ["selectableFields FieldValueTooMany", "more than eight may stay if they were stored"],
  ["schema.openAPIV0Schema FieldValueRequired", "a version without a schema may stay if it was stored"],
  ["the object has been modified", "the real server writes the status of a CRD meanwhile"],
  ["webhookClientConfig.caBundle", "a bundle that is invalid may stay only if it was invalid before"],
  ["must be an allocated device", "devices of a claim that is deallocated in the same write"],
];

/** Returns the reason for which a case is known to differ. */
export function knownReason({ difference }: ComparedCase): string | undefined {
  return known.find(([part]) => difference?.name.includes(part))?.[1];
}
