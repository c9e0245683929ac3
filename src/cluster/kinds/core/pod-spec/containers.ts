import type * as core from "@tsbuilder/apimachinery/k8s/core/v1";
import type { Sent } from "../../../contract/api-object.ts";
import { isFeatureOn } from "../../../contract/version.ts";
import { checkLabel, checkQualifiedName, checkSubdomain } from "@tsbuilder/apimachinery/naming";
import {
  duplicate,
  forbidden,
  invalid,
  notFound,
  notSupported,
  required,
  tooMany,
  ruled,
} from "@tsbuilder/apimachinery/errors";
import { compareQuantities } from "@tsbuilder/apimachinery/quantity";
import {
  checkConfigKey,
  checkPort,
  checkPortName,
  checkVariableName,
  relativePathProblems,
  backstepProblems,
} from "../../checks/names.ts";
import {
  type Problems,
  checked,
  choice,
  each,
  ifSet,
  itemsOf,
  needed,
  nonNegative,
  optionalChoice,
  unique,
} from "../../checks/problems.ts";
import { containerResourceProblems } from "../resources.ts";
import { containerSecurityProblems } from "./security.ts";
import type { Container, Handler, PodSpec, Probe, Volume } from "./types.ts";

/** The volumes of a pod that containers may reference, by name. */
type Volumes = ReadonlyMap<string, Volume>;

/** The volumes and claims of a pod that its containers may reference. */
export interface PodContext {
  readonly spec: PodSpec;
  readonly volumes: Volumes;
  readonly claims: ReadonlySet<string>;
}

export function* containerProblems(field: string, pod: PodContext): Problems {
  const list = pod.spec.containers ?? [];
  if (list.length === 0) return yield required(field);
  const uniqueName = unique();
  for (const [at, container] of itemsOf(field, list)) {
    yield* commonProblems(at, container, pod);
    yield* uniqueName(`${at}.name`, container.name ?? "");
    yield* hookAndProbeProblems(at, container, pod.spec);
    yield* restartPolicyProblems(at, container);
  }
  yield* hostPortProblems(field, list);
}

/**
 * Init containers run to completion one after the other, except sidecars, which have restartPolicy Always.
 */
export function* initContainerProblems(field: string, pod: PodContext): Problems {
  const names = new Set((pod.spec.containers ?? []).map(({ name = "" }) => name));
  for (const [at, container] of itemsOf(field, pod.spec.initContainers)) {
    const { name = "", restartPolicy } = container;
    yield* commonProblems(at, container, pod);
    yield* restartPolicyProblems(at, container);
    if (names.has(name)) yield duplicate(`${at}.name`, name);
    else if (name !== "") names.add(name);
    yield* hostPortProblems(field, [container]);
    if (restartPolicy === "Always") yield* hookAndProbeProblems(at, container, pod.spec);
    else yield* runToCompletionProblems(at, container);
  }
}

const probeFields = ["livenessProbe", "readinessProbe", "startupProbe"] as const;

function* runToCompletionProblems(field: string, container: Container): Problems {
  for (const name of ["lifecycle", ...probeFields] as const) {
    if (!container[name]) continue;
    yield forbidden(`${field}.${name}`, "may not be set for init containers without restartPolicy=Always");
  }
  for (const [at, { restartPolicy }] of itemsOf(`${field}.resizePolicy`, container.resizePolicy)) {
    if (restartPolicy !== "RestartContainer") continue;
    const detail = "must not be set to 'RestartContainer' for non-sidecar initContainers";
    yield* ruled("resize of init containers", [invalid(`${at}.restartPolicy`, restartPolicy, detail)]);
  }
}

const refusedForEphemeral = ["ports", ...probeFields, "lifecycle", "restartPolicy"] as const;

/** Ephemeral containers, which may not have ports, probes or resources. */
export function* ephemeralContainerProblems(field: string, pod: PodContext): Problems {
  const { spec } = pod;
  const others = new Set(
    [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map((other) => other.name),
  );
  const names = new Set(others);
  const refusal = "cannot be set for an Ephemeral Container";
  for (const [at, container] of itemsOf(field, spec.ephemeralContainers)) {
    const { name, targetContainerName: target = "" } = container;
    yield* commonProblems(at, container, pod);
    yield* imageSpaceProblems(at, container);
    if (names.has(name)) yield duplicate(`${at}.name`, name);
    names.add(name);
    if (target !== "" && !others.has(target)) yield notFound(`${at}.targetContainerName`, target);
    for (const part of refusedForEphemeral) if (container[part]) yield forbidden(`${at}.${part}`, refusal);
    for (const [mount, { subPath, subPathExpr }] of itemsOf(`${at}.volumeMounts`, container.volumeMounts)) {
      if (subPath) yield forbidden(`${mount}.subPath`, refusal);
      if (subPathExpr) yield forbidden(`${mount}.subPathExpr`, refusal);
    }
  }
}

/** Only pods are validated so: stored templates may have such images. */
export function* imageSpaceProblems(field: string, { image = "" }: Container): Problems {
  if (image.trim() !== image)
    yield invalid(`${field}.image`, image, "must not have leading or trailing whitespace");
}

const messagePolicies = ["File", "FallbackToLogsOnError"];

function* commonProblems(field: string, container: Container, pod: PodContext): Problems {
  yield* needed(`${field}.name`, container.name, checkLabel);
  yield* needed(`${field}.image`, container.image);
  const { terminationMessagePolicy, imagePullPolicy, resources = {}, securityContext } = container;
  yield* choice(`${field}.terminationMessagePolicy`, terminationMessagePolicy, messagePolicies);
  yield* portProblems(`${field}.ports`, container.ports);
  yield* each(`${field}.env`, container.env, variableProblems);
  yield* variableSourceProblems(`${field}.envFrom`, container.envFrom);
  yield* mountProblems(`${field}.volumeMounts`, container, pod.volumes);
  yield* deviceProblems(`${field}.volumeDevices`, container, pod.volumes);
  yield* choice(`${field}.imagePullPolicy`, imagePullPolicy, "core/v1.Container");
  yield* containerResourceProblems(`${field}.resources`, resources, pod.claims);
  yield* resizeProblems(`${field}.resizePolicy`, container, pod.spec.restartPolicy);
  yield* containerSecurityProblems(`${field}.securityContext`, securityContext, pod.spec.hostUsers !== false);
}

const variableFields = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];

function* variableProblems(at: string, { name, value, valueFrom }: Sent<core.EnvVar>): Problems {
  yield* needed(`${at}.name`, name, checkVariableName);
  if (!valueFrom) return;
  const field = `${at}.valueFrom`;
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = valueFrom;
  if (fieldRef) yield* fieldReferenceProblems(`${field}.fieldRef`, fieldRef, variableFields);
  if (resourceFieldRef) yield* resourceReferenceProblems(`${field}.resourceFieldRef`, resourceFieldRef);
  if (configMapKeyRef) yield* keyReferenceProblems(`${field}.configMapKeyRef`, configMapKeyRef);
  if (secretKeyRef) yield* keyReferenceProblems(`${field}.secretKeyRef`, secretKeyRef);
  if (fileKeyRef) {
    yield* needed(`${field}.fileKeyRef.key`, fileKeyRef.key, checkVariableName);
    yield* needed(`${field}.fileKeyRef.volumeName`, fileKeyRef.volumeName, checkLabel);
    yield* needed(`${field}.fileKeyRef.path`, fileKeyRef.path);
    yield* backstepProblems(`${field}.fileKeyRef.path`, fileKeyRef.path ?? "");
  }
  const sources = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef];
  const count = sources.filter(Boolean).length;
  if (count === 0) {
    yield invalid(
      field,
      "",
      "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",
    );
  } else if (value) yield invalid(field, "", "may not be specified when `value` is not empty");
  else if (count > 1) yield invalid(field, "", "may not have more than one field specified at a time");
}

/** Fields of a pod that a fieldRef may name; each place allows some of them. */
const podFields = new Set([
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.restartPolicy",
  "spec.serviceAccountName",
  "spec.schedulerName",
  "status.phase",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
]);

/** A fieldRef: a field of the pod, or one of its labels or annotations such as `metadata.labels['app']`. */
export function* fieldReferenceProblems(
  field: string,
  { apiVersion, fieldPath }: Sent<core.ObjectFieldSelector>,
  allowed: readonly string[],
): Problems {
  if (!apiVersion) return yield required(`${field}.apiVersion`);
  if (!fieldPath) return yield required(`${field}.fieldPath`);
  if (apiVersion !== "v1")
    return yield invalidFieldPath(field, fieldPath, `unsupported pod version: ${apiVersion}`);
  const [, path = "", key = ""] = /^([^[]*)\['(.*)'\]$/s.exec(fieldPath) ?? [];
  if (path === "") {
    const known = fieldPath === "spec.host" ? "spec.nodeName" : fieldPath;
    if (!podFields.has(known))
      return yield invalidFieldPath(field, fieldPath, `field label not supported: ${known}`);
    yield* optionalChoice(`${field}.fieldPath`, known, allowed);
  } else if (path === "metadata.annotations") {
    yield* checked(field, key.toLowerCase(), checkQualifiedName);
  } else if (path === "metadata.labels") yield* checked(field, key, checkQualifiedName);
  else yield invalidFieldPath(field, fieldPath, `field label does not support subscript: ${fieldPath}`);
}

function invalidFieldPath(field: string, path: string, reason: string): ReturnType<typeof invalid> {
  return invalid(`${field}.fieldPath`, path, `error converting fieldPath: ${reason}`);
}

/** The resources that a resourceFieldRef may name. */
const referableResources = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];

const byteDivisors = ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];

/** A resourceFieldRef: a request or limit of a container, with a divisor. A file must name its container. */
export function* resourceReferenceProblems(
  field: string,
  { containerName = "", resource = "", divisor = "0" }: Sent<core.ResourceFieldSelector>,
  needsContainer = false,
): Problems {
  if (needsContainer && containerName === "") yield required(`${field}.containerName`);
  else if (resource === "") yield required(`${field}.resource`);
  else if (!referableResources.includes(resource) && !/^(limits|requests)\.hugepages-/.test(resource)) {
    yield notSupported(`${field}.resource`, resource, referableResources);
  }
  if (compareQuantities(divisor, "0") === 0) return;
  const kind = resource.replace(/^(limits|requests)\./, "");
  const [named, divisors] = divisorsFor(kind);
  if (divisors.includes(String(divisor))) return;
  const detail =
    kind === "cpu"
      ? "only divisor's values 1m and 1 are supported with the cpu resource"
      : `only divisor's values ${byteDivisors.join(", ")} are supported with the ${named} resource`;
  yield invalid(`${field}.divisor`, resource, detail);
}

const cpuDivisors = ["1m", "1"];

function divisorsFor(kind: string): [name: string, divisors: readonly string[]] {
  if (kind === "cpu") return ["cpu", cpuDivisors];
  if (kind === "ephemeral-storage") return ["local ephemeral storage", byteDivisors];
  return [kind.startsWith("hugepages-") ? "hugepages" : kind, byteDivisors];
}

function* keyReferenceProblems(field: string, { name = "", key }: Sent<core.SecretKeySelector>): Problems {
  yield* checked(`${field}.name`, name, checkSubdomain);
  yield* needed(`${field}.key`, key, checkConfigKey);
}

function* variableSourceProblems(field: string, list: Container["envFrom"]): Problems {
  for (const [at, { prefix, configMapRef, secretRef }] of itemsOf(field, list)) {
    yield* checked(`${at}.prefix`, prefix, checkVariableName);
    if (configMapRef) yield* needed(`${at}.configMapRef.name`, configMapRef.name, checkSubdomain);
    if (secretRef) yield* needed(`${at}.secretRef.name`, secretRef.name, checkSubdomain);
    if (!configMapRef && !secretRef) {
      yield invalid(field, "", "must specify one of: `configMapRef` or `secretRef`");
    } else if (configMapRef && secretRef) {
      yield invalid(field, "", "may not have more than one field specified at a time");
    }
  }
}

function* mountProblems(field: string, container: Container, volumes: Volumes): Problems {
  const { volumeMounts = [], volumeDevices = [] } = container;
  const paths = new Set<string>();
  for (const [at, mount] of itemsOf(field, volumeMounts)) {
    const { name = "", mountPath = "" } = mount;
    if (name === "") yield required(`${at}.name`);
    if (!volumes.has(name)) yield notFound(`${at}.name`, name);
    if (mountPath === "") yield required(`${at}.mountPath`);
    if (paths.has(mountPath)) yield invalid(`${at}.mountPath`, mountPath, "must be unique");
    paths.add(mountPath);
    if (volumeDevices.some((device) => device.name === name))
      yield invalid(`${at}.name`, name, "must not already exist in volumeDevices");
    if (volumeDevices.some(({ devicePath }) => devicePath === mountPath))
      yield invalid(`${at}.mountPath`, mountPath, "must not already exist as a path in volumeDevices");
    yield* subPathProblems(field, at, mount);
    yield* propagationProblems(`${field}.mountPropagation`, mount, container);
    yield* recursiveReadOnlyProblems(`${field}.recursiveReadOnly`, mount);
  }
}

/** The real server omits the index if the error is about the path itself. */
function* subPathProblems(
  list: string,
  at: string,
  { subPath, subPathExpr }: Sent<core.VolumeMount>,
): Problems {
  if (subPath) yield* relativePathProblems(`${list}.subPath`, subPath);
  if (!subPathExpr) return;
  if (subPath)
    yield invalid(`${at}.subPathExpr`, subPathExpr, "subPathExpr and subPath are mutually exclusive");
  yield* relativePathProblems(`${list}.subPathExpr`, subPathExpr);
}

function* propagationProblems(
  field: string,
  { mountPropagation }: Sent<core.VolumeMount>,
  container: Container,
): Problems {
  yield* optionalChoice(field, mountPropagation, "core/v1.VolumeMount");
  if (mountPropagation === "Bidirectional" && !container.securityContext?.privileged)
    yield forbidden(field, "Bidirectional mount propagation is available only to privileged containers");
}

function* recursiveReadOnlyProblems(field: string, mount: Sent<core.VolumeMount>): Problems {
  const { recursiveReadOnly: mode, readOnly, mountPropagation = "None" } = mount;
  yield* optionalChoice(field, mode, ["Disabled", "Enabled", "IfPossible"]);
  if (mode !== "Enabled" && mode !== "IfPossible") return;
  if (!readOnly) yield forbidden(field, "may only be specified when readOnly is true");
  if (mountPropagation !== "None")
    yield forbidden(field, "may only be specified when mountPropagation is None or not specified");
}

function* deviceProblems(field: string, container: Container, volumes: Volumes): Problems {
  const { volumeMounts = [], volumeDevices = [] } = container;
  const names = new Set<string>();
  const paths = new Set<string>();
  for (const [at, { name = "", devicePath = "" }] of itemsOf(field, volumeDevices)) {
    if (name === "") yield required(`${at}.name`);
    if (names.has(name)) yield invalid(`${at}.name`, name, "must be unique");
    const volume = volumes.get(name);
    if (!volume) yield notFound(`${at}.name`, name);
    else if (!volume.persistentVolumeClaim && !volume.ephemeral) {
      const sources = "PersistentVolumeClaim or Ephemeral";
      yield invalid(`${at}.name`, name, `can only use volume source type of ${sources} for block mode`);
    }
    if (devicePath === "") yield required(`${at}.devicePath`);
    if (paths.has(devicePath)) yield invalid(`${at}.devicePath`, devicePath, "must be unique");
    if (devicePath.split("/").includes("..")) {
      yield invalid(`${at}.devicePath`, devicePath, "can not contain backsteps ('..')");
    } else paths.add(devicePath);
    if (volumeMounts.some((mount) => mount.name === name))
      yield invalid(`${at}.name`, name, "must not already exist in volumeMounts");
    if (volumeMounts.some(({ mountPath }) => mountPath === devicePath))
      yield invalid(`${at}.devicePath`, devicePath, "must not already exist as a path in volumeMounts");
    if (name !== "") names.add(name);
  }
}

function* hookAndProbeProblems(field: string, container: Container, spec: PodSpec): Problems {
  const { terminationGracePeriodSeconds: period, os } = spec;
  const { postStart, preStop, stopSignal } = container.lifecycle ?? {};
  if (postStart) yield* handlerProblems(`${field}.lifecycle.postStart`, postStart, period);
  if (preStop) yield* handlerProblems(`${field}.lifecycle.preStop`, preStop, period);
  if (stopSignal !== undefined && os?.name === undefined) {
    const detail = "may not be set for containers with empty `spec.os.name`";
    yield forbidden(`${field}.lifecycle.stopSignal`, detail);
  }
  for (const name of probeFields) {
    const values = container[name];
    if (values) yield* probeProblems(`${field}.${name}`, values, name === "readinessProbe");
  }
}

const probeCounts = [
  "initialDelaySeconds",
  "timeoutSeconds",
  "periodSeconds",
  "successThreshold",
  "failureThreshold",
] as const;

function* probeProblems(field: string, values: Probe, ofReadiness: boolean): Problems {
  yield* handlerProblems(field, values, undefined);
  for (const name of probeCounts) yield* nonNegative(`${field}.${name}`, values[name]);
  const { successThreshold, terminationGracePeriodSeconds: period } = values;
  const at = `${field}.terminationGracePeriodSeconds`;
  if (period !== undefined && period <= 0) yield invalid(at, period, "must be greater than 0");
  if (ofReadiness) {
    if (period !== undefined) yield invalid(at, period, "must not be set for readinessProbes");
  } else if (successThreshold !== 1) {
    yield invalid(`${field}.successThreshold`, successThreshold, "must be 1");
  }
}

type HandlerCheck = (field: string, value: object, gracePeriod: number | undefined) => Problems;

const handlerChecks: { readonly [Name in keyof Required<Handler>]: HandlerCheck } = {
  *exec(field, { command }: Handler["exec"] & object) {
    if (!command?.length) yield required(`${field}.command`);
  },
  *httpGet(field, { path, scheme = "", port = 0, httpHeaders = [] }: Sent<core.HTTPGetAction>) {
    if (!path) yield required(`${field}.path`);
    yield* checked(`${field}.port`, port, checkPort);
    yield* optionalChoice(`${field}.scheme`, scheme, "core/v1.HTTPGetAction");
    for (const { name = "" } of httpHeaders) yield* checked(`${field}.httpHeaders`, name, checkHeaderName);
  },
  tcpSocket: handlerPortProblems,
  grpc: handlerPortProblems,
  *sleep(field, { seconds = 0 }: Handler["sleep"] & object, gracePeriod) {
    if (gracePeriod === undefined || (seconds >= 0 && seconds <= gracePeriod)) return;
    yield invalid(
      field,
      seconds,
      `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`,
    );
  },
};

function* handlerProblems(field: string, values: Handler, gracePeriod: number | undefined): Problems {
  let named = false;
  for (const [name, check] of Object.entries(handlerChecks) as Array<[keyof Handler, HandlerCheck]>) {
    const value = values[name];
    if (value === undefined) continue;
    const at = `${field}.${name}`;
    if (named) yield forbidden(at, "may not specify more than 1 handler type");
    else yield* check(at, value, gracePeriod);
    named = true;
  }
  if (!named) yield required(field, "must specify a handler type");
}

function* handlerPortProblems(field: string, { port = 0 }: { port?: number | string | undefined }): Problems {
  yield* checked(`${field}.port`, port, checkPort);
}

function checkHeaderName(name: string): string[] {
  if (/^[-A-Za-z0-9]+$/.test(name)) return [];
  return [
    "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
  ];
}

function* portProblems(field: string, list: Container["ports"]): Problems {
  const uniqueName = unique();
  for (const [at, { name = "", containerPort = 0, hostPort = 0, protocol }] of itemsOf(field, list)) {
    yield* ifSet(`${at}.name`, name, checkPortName);
    if (checkPortName(name).length === 0) yield* uniqueName(`${at}.name`, name);
    if (containerPort === 0) yield required(`${at}.containerPort`);
    else yield* checked(`${at}.containerPort`, containerPort, checkPort);
    if (hostPort !== 0) yield* checked(`${at}.hostPort`, hostPort, checkPort);
    yield* choice(`${at}.protocol`, protocol, "core/v1.ContainerPort");
  }
}

/** A hostPort can be used only once. */
function* hostPortProblems(field: string, list: readonly Container[]): Problems {
  const uniquePort = unique();
  for (const [at, container] of itemsOf(field, list)) {
    for (const [port, { protocol = "", hostIP = "", hostPort }] of itemsOf(`${at}.ports`, container.ports)) {
      if (hostPort) yield* uniquePort(`${port}.hostPort`, `${protocol}/${hostIP}/${hostPort}`);
    }
  }
}

function* resizeProblems(field: string, { resizePolicy }: Container, policy: string | undefined): Problems {
  const uniqueResource = unique();
  for (const [at, { resourceName = "", restartPolicy = "" }] of itemsOf(field, resizePolicy)) {
    yield* uniqueResource(at, resourceName);
    yield* choice(field, resourceName, ["cpu", "memory"]);
    yield* choice(field, restartPolicy, ["NotRequired", "RestartContainer"]);
    if (policy === "Never" && restartPolicy !== "NotRequired") {
      const detail = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
      yield invalid(field, restartPolicy, detail);
    }
  }
}

function* restartPolicyProblems(field: string, container: Container): Problems {
  const { restartPolicy, restartPolicyRules: rules = [] } = container;
  if (restartPolicy !== undefined) {
    yield* optionalChoice(`${field}.restartPolicy`, restartPolicy, "core/v1.PodSpec");
  } else if (rules.length > 0) {
    yield required(`${field}.restartPolicy`, "must specify restartPolicy when restart rules are used");
  }
  if (rules.length > 20) yield tooMany(`${field}.restartPolicyRules`, rules.length, 20);
  const restartsAll = isFeatureOn("RestartAllContainersOnContainerExits");
  const actions = restartsAll ? ["Restart", "RestartAllContainers"] : ["Restart"];
  for (const [at, { action = "", exitCodes }] of itemsOf(`${field}.restartPolicyRules`, rules)) {
    yield* optionalChoice(`${at}.action`, action, actions);
    if (!exitCodes) {
      yield required(`${at}.exitCodes`, "must be specified");
      continue;
    }
    const { operator = "", values = [] } = exitCodes;
    yield* optionalChoice(`${at}.exitCodes.operator`, operator, ["In", "NotIn"]);
    if (values.length > 255) yield tooMany(`${at}.exitCodes.values`, values.length, 255);
  }
}
