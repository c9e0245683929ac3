import type { Container, Handler, PodSpec, PodTemplate, Probe, Volume } from "./pod-types.ts";

/** Fills in a pod template; the structs that Go prints always are there, even if empty. */
export function defaultTemplate(template: PodTemplate | undefined): PodTemplate {
  const { metadata = {}, spec = {} } = template ?? {};
  defaultPodSpec(spec);
  return { ...template, metadata, spec };
}

/** Fills in what the API server adds to every pod's spec, in templates too. */
export function defaultPodSpec(spec: PodSpec): void {
  spec.restartPolicy ||= "Always";
  spec.dnsPolicy ||= "ClusterFirst";
  spec.schedulerName ||= "default-scheduler";
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= 30;
  if (spec.serviceAccountName) spec.serviceAccount = spec.serviceAccountName;
  else if (spec.serviceAccount) spec.serviceAccountName = spec.serviceAccount;
  for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    defaultContainer(container, spec.hostNetwork === true);
  }
  for (const volume of spec.volumes ?? []) defaultVolume(volume);
}

function defaultContainer(container: Container, hostNetwork: boolean): void {
  container.resources ??= {};
  container.terminationMessagePath ||= "/dev/termination-log";
  container.terminationMessagePolicy ||= "File";
  container.imagePullPolicy ||= isLatest(container.image ?? "") ? "Always" : "IfNotPresent";
  for (const port of container.ports ?? []) {
    port.protocol ||= "TCP";
    if (hostNetwork && port.containerPort !== undefined) port.hostPort ??= port.containerPort;
  }
  for (const { valueFrom } of container.env ?? []) {
    if (valueFrom?.fieldRef) valueFrom.fieldRef.apiVersion ||= "v1";
  }
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe]) {
    if (probe) defaultProbe(probe);
  }
  for (const handler of [container.lifecycle?.postStart, container.lifecycle?.preStop]) {
    if (handler) defaultHandler(handler);
  }
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

/** No tag, or the tag `latest`, means that the image may change. */
function isLatest(image: string): boolean {
  const name = image.slice(image.lastIndexOf("/") + 1);
  return !name.includes("@") && (!name.includes(":") || name.endsWith(":latest"));
}

const readable = 0o644;
const sources = ["secret", "configMap", "downwardAPI", "projected"];

function defaultVolume(volume: Volume): void {
  if (Object.keys(volume).filter((field) => field !== "name").length === 0) volume["emptyDir"] = {};
  for (const source of sources) {
    const value = volume[source] as { defaultMode?: number; sources?: ProjectedSource[] } | undefined;
    if (!value) continue;
    value.defaultMode ??= readable;
    for (const { serviceAccountToken } of value.sources ?? []) {
      if (serviceAccountToken) serviceAccountToken.expirationSeconds ??= 3600;
    }
  }
  const host = volume["hostPath"] as { type?: string } | undefined;
  if (host) host.type ??= "";
}

interface ProjectedSource {
  serviceAccountToken?: { expirationSeconds?: number };
}
