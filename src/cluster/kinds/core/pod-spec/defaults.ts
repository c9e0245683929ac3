import type * as core from "@tsbuilder/apimachinery/k8s/core/v1";
import type { Sent } from "../../../contract/api-object.ts";
import type { Container, Handler, PodSpec, PodTemplateSpec, Probe, Volume } from "./types.ts";

/** Sets the defaults of a pod template; structs that Go always serializes are present, even if empty. */
export function defaultTemplate(template: PodTemplateSpec | undefined): PodTemplateSpec {
  const { metadata = {}, spec = {} } = template ?? {};
  defaultPodSpec(spec);
  return { ...template, metadata, spec };
}

/** Sets the defaults of a pod spec, in templates too. */
export function defaultPodSpec(spec: PodSpec): void {
  spec.restartPolicy ||= "Always";
  spec.dnsPolicy ||= "ClusterFirst";
  spec.schedulerName ||= "default-scheduler";
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= 30;
  if (spec.serviceAccountName) spec.serviceAccount = spec.serviceAccountName;
  else if (spec.serviceAccount) spec.serviceAccountName = spec.serviceAccount;
  const { containers = [], initContainers = [], ephemeralContainers = [] } = spec;
  for (const container of [...containers, ...initContainers, ...ephemeralContainers])
    defaultContainer(container);
  for (const volume of spec.volumes ?? []) defaultVolume(volume);
}

function defaultContainer(container: Container): void {
  container.resources ??= {};
  container.terminationMessagePath ||= "/dev/termination-log";
  container.terminationMessagePolicy ||= "File";
  container.imagePullPolicy ||= isLatest(container.image ?? "") ? "Always" : "IfNotPresent";
  for (const port of container.ports ?? []) port.protocol ||= "TCP";
  for (const { valueFrom } of container.env ?? []) {
    if (valueFrom) defaultReference(valueFrom);
    if (valueFrom?.fileKeyRef) valueFrom.fileKeyRef.optional ??= false;
  }
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe]) {
    if (probe) defaultProbe(probe);
  }
  for (const handler of [container.lifecycle?.postStart, container.lifecycle?.preStop]) {
    if (handler) defaultHandler(handler);
  }
}

/** The field or the resource that a variable or a file shows. */
function defaultReference({ fieldRef, resourceFieldRef }: Sent<core.DownwardAPIVolumeFile>): void {
  if (fieldRef) fieldRef.apiVersion ||= "v1";
  if (resourceFieldRef) resourceFieldRef.divisor ??= "0";
}

function defaultProbe(probe: Probe): void {
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
  if (probe.grpc) probe.grpc.service ??= "";
  defaultHandler(probe);
}

function defaultHandler({ httpGet }: Handler): void {
  if (!httpGet) return;
  httpGet.path ||= "/";
  httpGet.scheme ||= "HTTP";
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

const defaultFileMode = 0o644;

function defaultVolume(volume: Volume): void {
  if (Object.keys(volume).filter((field) => field !== "name").length === 0) volume.emptyDir = {};
  const { secret, configMap, downwardAPI, projected, image, ephemeral } = volume;
  for (const source of [secret, configMap, downwardAPI, projected]) {
    if (source) source.defaultMode ??= defaultFileMode;
  }
  for (const file of downwardAPI?.items ?? []) defaultReference(file);
  for (const source of projected?.sources ?? []) {
    for (const file of source.downwardAPI?.items ?? []) defaultReference(file);
    if (source.serviceAccountToken) source.serviceAccountToken.expirationSeconds ??= 3600;
  }
  defaultVolumeSource(volume);
  if (image) image.pullPolicy ||= isLatest(image.reference ?? "") ? "Always" : "IfNotPresent";
  if (ephemeral?.volumeClaimTemplate) {
    ephemeral.volumeClaimTemplate.metadata ??= {};
    ephemeral.volumeClaimTemplate.spec ??= {};
    ephemeral.volumeClaimTemplate.spec.volumeMode ??= "Filesystem";
    ephemeral.volumeClaimTemplate.spec.resources ??= {};
  }
}

/** The sources with defaults that volumes of pods and PersistentVolumes share. */
type DefaultedSources = Pick<Volume, "azureDisk" | "hostPath" | "iscsi" | "rbd" | "scaleIO">;

export function defaultVolumeSource({ azureDisk, hostPath, iscsi, rbd, scaleIO }: DefaultedSources): void {
  if (hostPath) hostPath.type ??= "";
  if (iscsi) iscsi.iscsiInterface ||= "default";
  if (rbd) {
    rbd.pool ||= "rbd";
    rbd.user ||= "admin";
    rbd.keyring ||= "/etc/ceph/keyring";
  }
  if (scaleIO) {
    scaleIO.storageMode ||= "ThinProvisioned";
    scaleIO.fsType ||= "xfs";
  }
  if (azureDisk) {
    azureDisk.cachingMode ??= "ReadWrite";
    azureDisk.fsType ??= "ext4";
    azureDisk.readOnly ??= false;
    azureDisk.kind ??= "Shared";
  }
}
