/*
 * SPDX-License-Identifier: Apache-2.0
 */

import type { AdmissionContext, InvalidField, Manager, Validator } from "@tsbuilder/runtime";
import { Bar } from "../../../../api/foo.policy/v1/bar_types.ts";

// To validate deletions, too, add `delete` to the verbs, and a method validateDelete.
// +kubebuilder:webhook:path=/validate-foo-policy-example-com-v1-bar,mutating=false,failurePolicy=fail,sideEffects=None,groups=foo.policy.example.com,resources=bars,verbs=create;update,versions=v1,name=vbar.v1.foo.policy.example.com,admissionReviewVersions=v1

/** Rejects invalid Bar objects for reasons that a schema can't express. */
export class BarValidator implements Validator<Bar> {
  validateCreate(bar: Bar, { log }: AdmissionContext): InvalidField[] {
    log.debug("Validating a new Bar", { name: bar.metadata.name });
    return [];
  }

  validateUpdate(bar: Bar, _old: Bar, { log }: AdmissionContext): InvalidField[] {
    // To reject: return [{ field: "spec.foo", value, message: "must not change" }].
    // To accept with a warning: call warn("…") of the context.
    log.debug("Validating a changed Bar", { name: bar.metadata.name });
    return [];
  }
}

/** Serves the validator at /validate-foo-policy-example-com-v1-bar. */
export function setupBarValidator(manager: Manager): void {
  const validator = new BarValidator();
  manager.webhookFor(Bar).validator(validator).complete();
}
