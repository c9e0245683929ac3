import type * as core from "@tsbuilder/apimachinery/k8s/core/v1";
import type { Sent, SentObject } from "../../../contract/api-object.ts";
import { itemsOf } from "../../checks/problems.ts";

export type Container = Sent<core.Container> & { targetContainerName?: string | undefined };
export type PodSpec = Sent<core.PodSpec>;

/** The containers in some lists of a pod, each with its path. */
export function* containersIn(
  field: string,
  spec: PodSpec,
  ...lists: ReadonlyArray<"containers" | "ephemeralContainers" | "initContainers">
): Generator<[at: string, container: Container], void> {
  for (const list of lists) {
    for (const [at, container] of itemsOf(`${field}.${list}`, spec[list])) yield [at, container];
  }
}

export type PodTemplateSpec = Sent<core.PodTemplateSpec>;
export type Probe = Sent<core.Probe>;
export type ResourceRequirements = Sent<core.ResourceRequirements>;
export type SeccompProfile = Sent<core.SeccompProfile>;
export type SecurityContext = Sent<core.SecurityContext>;
export type Volume = Sent<core.Volume>;

/** The action of a probe or a lifecycle hook; exactly one field is set. */
export type Handler = Sent<core.LifecycleHandler> & Pick<Probe, "grpc">;
export type Pod = SentObject<PodSpec, Sent<core.PodStatus>>;
