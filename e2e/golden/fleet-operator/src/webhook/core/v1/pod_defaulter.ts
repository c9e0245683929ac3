/*
 * SPDX-License-Identifier: Apache-2.0
 */

import type { AdmissionContext, Defaulter, Manager } from "@tsbuilder/runtime";
import { Pod } from "@tsbuilder/runtime/k8s/core/v1";

// +kubebuilder:webhook:path=/mutate-pods,mutating=true,failurePolicy=fail,sideEffects=None,groups="",resources=pods,verbs=create;update,versions=v1,name=mpod.v1.core,admissionReviewVersions=v1

/** Sets the defaults of Pod objects, before they are validated and stored. */
export class PodDefaulter implements Defaulter<Pod> {
  default(pod: Pod, { log }: AdmissionContext): void {
    // pod is a draft: change it in place, and only the changes are sent back.
    log.debug("Defaulting Pod", { name: pod.metadata.name });
  }
}

/** Serves the defaulter at /mutate-pods. */
export function setupPodDefaulter(manager: Manager): void {
  const defaulter = new PodDefaulter();
  manager.webhookFor(Pod).defaulter(defaulter, { path: "/mutate-pods" }).complete();
}
