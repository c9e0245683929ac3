import type { ApiObject, Sent } from "../../contract/api-object.ts";
import type { LeaseSpec } from "@tsbuilder/apimachinery/k8s/coordination/v1";
import { invalid } from "@tsbuilder/apimachinery/errors";
import type { BuiltInKind } from "../built-in-kind.ts";
import { text } from "../cells.ts";
import { type Problems, nonNegative } from "../checks/problems.ts";

export const lease: BuiltInKind = {
  resource: "leases.coordination.k8s.io",
  metadataChecks: { qualifiedFinalizers: false },
  strategy: {
    validate: (object) => [...leaseProblems(object)],
    validateUpdate: (object) => [...leaseProblems(object)],
  },
  cells: { Holder: text("spec.holderIdentity") },
};

type Lease = ApiObject & { spec?: Sent<LeaseSpec> };

function* leaseProblems({ spec = {} }: Lease): Problems {
  const { leaseDurationSeconds: duration, leaseTransitions: transitions } = spec;
  if (duration !== undefined && duration <= 0) {
    yield invalid("spec.leaseDurationSeconds", duration, "must be greater than 0");
  }
  yield* nonNegative("spec.leaseTransitions", transitions);
}
