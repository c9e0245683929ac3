import type * as core from "@tsbuilder/apimachinery/k8s/core/v1";
import type { Sent } from "../../../contract/api-object.ts";
import type { Container, PodSpec, PodTemplateSpec, Volume } from "./types.ts";

/** Sets the defaults of a pod template; a ReplicationController may have none. */
export function defaultTemplate(template: PodTemplateSpec | undefined): void {
  if (template?.spec) defaultPodSpec(template.spec);
}

/** Sets the defaults of a pod spec, in templates too. */
export function defaultPodSpec(spec: PodSpec): void {
  spec.securityContext ??= {};
  if (spec.serviceAccountName) spec.serviceAccount = spec.serviceAccountName;
  else if (spec.serviceAccount) spec.serviceAccountName = spec.serviceAccount;
  const { containers = [], initContainers = [], ephemeralContainers = [] } = spec;
  for (const container of [...containers, ...initContainers, ...ephemeralContainers])
    defaultContainer(container);
  for (const volume of spec.volumes ?? []) defaultVolume(volume);
}

function defaultContainer(container: Container): void {
  container.imagePullPolicy ||= isLatest(container.image ?? "") ? "Always" : "IfNotPresent";
  for (const { valueFrom } of container.env ?? []) {
    if (valueFrom) defaultReference(valueFrom);
  }
}

/** The field or the resource that a variable or a file shows. */
function defaultReference({ resourceFieldRef }: Sent<core.DownwardAPIVolumeFile>): void {
  if (resourceFieldRef) resourceFieldRef.divisor ??= "0";
}

/** An image reference: a name in lower case, with an optional tag and digest. */
const imageReference =
  /^([\w.-]+(:\d+)?\/)?[a-z0-9]+([._-]+[a-z0-9]+)*(\/[a-z0-9]+([._-]+[a-z0-9]+)*)*(?::(?<tag>\w[\w.-]*))?(?<digest>@\w+:[0-9a-fA-F]+)?$/;

/** The default of imagePullPolicy: Always without a tag or with `latest`. An invalid reference has no tag. */
function isLatest(image: string): boolean {
  const match = imageReference.exec(image);
  if (!match) return false;
  const { tag, digest } = match.groups!;
  return tag === undefined ? digest === undefined : tag === "latest";
}

function defaultVolume(volume: Volume): void {
  if (Object.keys(volume).filter((field) => field !== "name").length === 0) volume.emptyDir = {};
  const { downwardAPI, projected, image } = volume;
  for (const file of downwardAPI?.items ?? []) defaultReference(file);
  for (const source of projected?.sources ?? []) {
    for (const file of source.downwardAPI?.items ?? []) defaultReference(file);
  }
  defaultVolumeSource(volume);
  if (image) image.pullPolicy ||= isLatest(image.reference ?? "") ? "Always" : "IfNotPresent";
}

/** Sets the defaults of the sources that volumes of pods and PersistentVolumes share. */
export function defaultVolumeSource({ hostPath }: Pick<Volume, "hostPath">): void {
  if (hostPath) hostPath.type ??= "";
}
