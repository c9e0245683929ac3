import { checkLabel, checkSubdomain } from "@tsbuilder/apimachinery/naming";
import {
  type FieldError,
  duplicate,
  forbidden,
  invalid,
  notFound,
  notSupported,
  required,
  tooMany,
} from "@tsbuilder/apimachinery/errors";
import {
  checkConfigKey,
  checkHeaderName,
  checkObjectName,
  checkPort,
  checkPortName,
  checkVariableName,
  descendingPath,
  withoutBacksteps,
} from "../../checks/names.ts";
import {
  type Problems,
  choice,
  needed,
  nonNegative,
  refused,
  optionalChoice,
} from "../../checks/problems.ts";
import { containerResources } from "./resources.ts";
import { containerSecurityProblems } from "./security.ts";
import type {
  Container,
  ContainerPort,
  EnvFromSource,
  EnvVar,
  HTTPGetAction,
  Handler,
  PodSpec,
  Probe,
  SecretKeySelector,
  Volume,
  VolumeMount,
} from "./types.ts";
import { fieldReference, resourceReference, resourcesOfContainers } from "./references.ts";

/** The volumes and claims of a pod that its containers may reference. */
export interface ContainerContext {
  readonly spec: PodSpec;
  readonly volumes: Volumes;
  readonly claims: ReadonlySet<string>;
}

export function* containers(field: string, around: ContainerContext): Problems {
  const list = around.spec.containers ?? [];
  if (list.length === 0) return yield required(field);
  const names = new Set<string>();
  for (const [index, container] of list.entries()) {
    const at = `${field}[${index}]`;
    const { name = "" } = container;
    yield* common(at, container, around);
    if (names.has(name)) yield duplicate(`${at}.name`, name);
    names.add(name);
    yield* running(at, container, around.spec);
    yield* restarts(at, container);
  }
  yield* hostPorts(field, list);
}

/**
 * Init containers run to completion one after the other, except sidecars, which have restartPolicy Always.
 */
export function* initContainers(field: string, around: ContainerContext): Problems {
  const names = new Set((around.spec.containers ?? []).map(({ name = "" }) => name));
  for (const [index, container] of (around.spec.initContainers ?? []).entries()) {
    const at = `${field}[${index}]`;
    const { name = "", restartPolicy } = container;
    yield* common(at, container, around);
    yield* restarts(at, container);
    if (names.has(name)) yield duplicate(`${at}.name`, name);
    else if (name !== "") names.add(name);
    yield* hostPorts(field, [container]);
    if (restartPolicy === "Always") yield* running(at, container, around.spec);
    else yield* endingOnly(at, container);
  }
}

function* endingOnly(field: string, container: Container): Problems {
  for (const name of ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const) {
    if (!container[name]) continue;
    yield forbidden(`${field}.${name}`, "may not be set for init containers without restartPolicy=Always");
  }
  for (const [index, { restartPolicy = "" }] of (container.resizePolicy ?? []).entries()) {
    if (restartPolicy !== "RestartContainer") continue;
    const at = `${field}.resizePolicy[${index}].restartPolicy`;
    yield invalid(at, restartPolicy, "must not be set to 'RestartContainer' for non-sidecar initContainers");
  }
}

const notForEphemeral = [
  "ports",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "lifecycle",
  "restartPolicy",
] as const;

/** Ephemeral containers, which may not have ports, probes or resources. */
export function* ephemeralContainers(field: string, around: ContainerContext): Problems {
  const { spec } = around;
  const others = new Set(
    [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map((each) => each.name),
  );
  const names = new Set(others);
  const refusal = "cannot be set for an Ephemeral Container";
  for (const [index, container] of (spec.ephemeralContainers ?? []).entries()) {
    const at = `${field}[${index}]`;
    const { name, targetContainerName: target = "" } = container;
    yield* common(at, container, around);
    yield* trimmedImage(at, container);
    if (names.has(name)) yield duplicate(`${at}.name`, name);
    names.add(name);
    if (target !== "" && !others.has(target)) yield notFound(`${at}.targetContainerName`, target);
    for (const each of notForEphemeral) if (container[each]) yield forbidden(`${at}.${each}`, refusal);
    for (const [each, { subPath, subPathExpr }] of (container.volumeMounts ?? []).entries()) {
      if (subPath) yield forbidden(`${at}.volumeMounts[${each}].subPath`, refusal);
      if (subPathExpr) yield forbidden(`${at}.volumeMounts[${each}].subPathExpr`, refusal);
    }
  }
}

/** Only pods are validated so: stored templates may have such images. */
export function* trimmedImage(field: string, { image = "" }: Container): Problems {
  if (image.trim() !== image) {
    yield invalid(`${field}.image`, image, "must not have leading or trailing whitespace");
  }
}

const messagePolicies = ["File", "FallbackToLogsOnError"];

function* common(field: string, container: Container, around: ContainerContext): Problems {
  yield* needed(`${field}.name`, container.name, checkLabel);
  yield* needed(`${field}.image`, container.image);
  const { terminationMessagePolicy, imagePullPolicy, resources = {}, securityContext } = container;
  yield* choice(`${field}.terminationMessagePolicy`, terminationMessagePolicy, messagePolicies);
  yield* ports(`${field}.ports`, container.ports);
  yield* variables(`${field}.env`, container.env);
  yield* variableSources(`${field}.envFrom`, container.envFrom);
  yield* mounts(`${field}.volumeMounts`, container, around.volumes);
  yield* devices(`${field}.volumeDevices`, container, around.volumes);
  yield* choice(`${field}.imagePullPolicy`, imagePullPolicy, "core/v1.Container");
  yield* containerResources(`${field}.resources`, resources, around.claims);
  yield* resizing(`${field}.resizePolicy`, container, around.spec.restartPolicy);
  yield* containerSecurityProblems(
    `${field}.securityContext`,
    securityContext,
    around.spec.hostUsers !== false,
  );
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

function* variables(field: string, list: readonly EnvVar[] = []): Problems {
  for (const [index, variable] of list.entries()) {
    const at = `${field}[${index}]`;
    yield* needed(`${at}.name`, variable.name, checkVariableName);
    yield* variableValue(`${at}.valueFrom`, variable);
  }
}

function* variableValue(field: string, { value, valueFrom }: EnvVar): Problems {
  if (!valueFrom) return;
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = valueFrom;
  if (fieldRef) yield* fieldReference(`${field}.fieldRef`, fieldRef, variableFields);
  if (resourceFieldRef) {
    yield* resourceReference(`${field}.resourceFieldRef`, resourceFieldRef, resourcesOfContainers);
  }
  if (configMapKeyRef) yield* keyReference(`${field}.configMapKeyRef`, configMapKeyRef);
  if (secretKeyRef) yield* keyReference(`${field}.secretKeyRef`, secretKeyRef);
  if (fileKeyRef) {
    yield* needed(`${field}.fileKeyRef.key`, fileKeyRef.key, checkVariableName);
    yield* needed(`${field}.fileKeyRef.volumeName`, fileKeyRef.volumeName, checkLabel);
    yield* needed(`${field}.fileKeyRef.path`, fileKeyRef.path);
    yield* withoutBacksteps(`${field}.fileKeyRef.path`, fileKeyRef.path ?? "");
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

function* keyReference(field: string, { name = "", key }: SecretKeySelector): Problems {
  yield* refused(`${field}.name`, name, checkSubdomain(name));
  yield* needed(`${field}.key`, key, checkConfigKey);
}

function* variableSources(field: string, list: readonly EnvFromSource[] = []): Problems {
  for (const [index, { prefix = "", configMapRef, secretRef }] of list.entries()) {
    const at = `${field}[${index}]`;
    yield* refused(`${at}.prefix`, prefix, checkVariableName(prefix));
    if (configMapRef) yield* needed(`${at}.configMapRef.name`, configMapRef.name, checkObjectName);
    if (secretRef) yield* needed(`${at}.secretRef.name`, secretRef.name, checkObjectName);
    if (!configMapRef && !secretRef) {
      yield invalid(field, "", "must specify one of: `configMapRef` or `secretRef`");
    } else if (configMapRef && secretRef) {
      yield invalid(field, "", "may not have more than one field specified at a time");
    }
  }
}

/** The volumes of a pod that containers may reference, by name. */
type Volumes = ReadonlyMap<string, Volume>;

/** The volumeMounts of a container. */
function* mounts(field: string, container: Container, volumes: Volumes): Problems {
  const { volumeMounts = [], volumeDevices = [] } = container;
  const paths = new Set<string>();
  for (const [index, mount] of volumeMounts.entries()) {
    const at = `${field}[${index}]`;
    const { name = "", mountPath = "" } = mount;
    if (name === "") yield required(`${at}.name`);
    if (!volumes.has(name)) yield notFound(`${at}.name`, name);
    if (mountPath === "") yield required(`${at}.mountPath`);
    if (paths.has(mountPath)) yield invalid(`${at}.mountPath`, mountPath, "must be unique");
    paths.add(mountPath);
    if (volumeDevices.some((device) => device.name === name)) {
      yield invalid(`${at}.name`, name, "must not already exist in volumeDevices");
    }
    if (volumeDevices.some(({ devicePath }) => devicePath === mountPath)) {
      yield invalid(`${at}.mountPath`, mountPath, "must not already exist as a path in volumeDevices");
    }
    yield* subPaths(field, at, mount);
    yield* propagation(`${field}.mountPropagation`, mount, container);
    yield* recursiveReadOnly(`${field}.recursiveReadOnly`, mount);
  }
}

/** The real server omits the index if the error is about the path itself. */
function* subPaths(list: string, at: string, { subPath, subPathExpr }: VolumeMount): Problems {
  if (subPath) yield* descendingPath(`${list}.subPath`, subPath);
  if (!subPathExpr) return;
  if (subPath) {
    yield invalid(`${at}.subPathExpr`, subPathExpr, "subPathExpr and subPath are mutually exclusive");
  }
  yield* descendingPath(`${list}.subPathExpr`, subPathExpr);
}

function* propagation(
  field: string,
  { mountPropagation }: VolumeMount,
  { securityContext }: Container,
): Problems {
  if (mountPropagation === undefined) return;
  yield* optionalChoice(field, mountPropagation, "core/v1.VolumeMount");
  if (mountPropagation === "Bidirectional" && !securityContext?.privileged) {
    yield forbidden(field, "Bidirectional mount propagation is available only to privileged containers");
  }
}

function* recursiveReadOnly(field: string, mount: VolumeMount): Problems {
  const { recursiveReadOnly: mode, readOnly, mountPropagation = "None" } = mount;
  if (mode === undefined || mode === "Disabled") return;
  if (mode !== "Enabled" && mode !== "IfPossible") {
    return yield notSupported(field, mode, ["Disabled", "Enabled", "IfPossible"]);
  }
  if (!readOnly) yield forbidden(field, "may only be specified when readOnly is true");
  if (mountPropagation !== "None") {
    yield forbidden(field, "may only be specified when mountPropagation is None or not specified");
  }
}

/** The volumeDevices of a container. */
function* devices(field: string, container: Container, volumes: Volumes): Problems {
  const { volumeMounts = [], volumeDevices = [] } = container;
  const names = new Set<string>();
  const paths = new Set<string>();
  for (const [index, { name = "", devicePath = "" }] of volumeDevices.entries()) {
    const at = `${field}[${index}]`;
    if (name === "") yield required(`${at}.name`);
    if (names.has(name)) yield invalid(`${at}.name`, name, "must be unique");
    yield* blockVolume(`${at}.name`, name, volumes.get(name));
    if (devicePath === "") yield required(`${at}.devicePath`);
    if (paths.has(devicePath)) yield invalid(`${at}.devicePath`, devicePath, "must be unique");
    if ([...withoutBacksteps("", devicePath)].length > 0) {
      yield invalid(`${at}.devicePath`, devicePath, "can not contain backsteps ('..')");
    } else paths.add(devicePath);
    if (volumeMounts.some((mount) => mount.name === name)) {
      yield invalid(`${at}.name`, name, "must not already exist in volumeMounts");
    }
    if (volumeMounts.some(({ mountPath }) => mountPath === devicePath)) {
      yield invalid(`${at}.devicePath`, devicePath, "must not already exist as a path in volumeMounts");
    }
    if (name !== "") names.add(name);
  }
}

function* blockVolume(field: string, name: string, volume: Volume | undefined): Generator<FieldError, void> {
  if (!volume) return yield notFound(field, name);
  if (volume.persistentVolumeClaim || volume.ephemeral) return;
  const sources = "PersistentVolumeClaim or Ephemeral";
  yield invalid(field, name, `can only use volume source type of ${sources} for block mode`);
}

function* running(field: string, container: Container, spec: PodSpec): Problems {
  if (container.lifecycle) {
    const { terminationGracePeriodSeconds: period, os } = spec;
    yield* lifecycle(`${field}.lifecycle`, container.lifecycle, period, os?.name);
  }
  yield* probes(field, container);
}

/** The three probes of a container. */
function* probes(field: string, container: Container): Problems {
  const { livenessProbe, readinessProbe, startupProbe } = container;
  if (livenessProbe) {
    yield* probe(`${field}.livenessProbe`, livenessProbe);
    yield* oneSuccess(`${field}.livenessProbe`, livenessProbe);
  }
  if (readinessProbe) {
    yield* probe(`${field}.readinessProbe`, readinessProbe);
    const { terminationGracePeriodSeconds: period } = readinessProbe;
    if (period !== undefined) {
      const at = `${field}.readinessProbe.terminationGracePeriodSeconds`;
      yield invalid(at, period, "must not be set for readinessProbes");
    }
  }
  if (startupProbe) {
    yield* probe(`${field}.startupProbe`, startupProbe);
    yield* oneSuccess(`${field}.startupProbe`, startupProbe);
  }
}

function* oneSuccess(field: string, { successThreshold }: Probe): Problems {
  if (successThreshold !== 1) yield invalid(`${field}.successThreshold`, successThreshold, "must be 1");
}

const counts = [
  "initialDelaySeconds",
  "timeoutSeconds",
  "periodSeconds",
  "successThreshold",
  "failureThreshold",
] as const;

function* probe(field: string, values: Probe): Problems {
  yield* handler(field, values, undefined);
  for (const name of counts) yield* nonNegative(`${field}.${name}`, values[name]);
  const { terminationGracePeriodSeconds: period } = values;
  if (period !== undefined && period <= 0) {
    yield invalid(`${field}.terminationGracePeriodSeconds`, period, "must be greater than 0");
  }
}

/** The lifecycle hooks of a container. */
function* lifecycle(
  field: string,
  { postStart, preStop, stopSignal }: NonNullable<Container["lifecycle"]>,
  gracePeriod: number | undefined,
  os: string | undefined,
): Problems {
  if (postStart) yield* handler(`${field}.postStart`, postStart, gracePeriod);
  if (preStop) yield* handler(`${field}.preStop`, preStop, gracePeriod);
  if (stopSignal !== undefined && os === undefined) {
    yield forbidden(`${field}.stopSignal`, "may not be set for containers with empty `spec.os.name`");
  }
}

function* handler(field: string, values: Handler, gracePeriod: number | undefined): Problems {
  let named = false;
  for (const [name, check] of Object.entries(kinds) as Array<[keyof Handler, HandlerCheck]>) {
    const value = values[name];
    if (value === undefined) continue;
    const at = `${field}.${name}`;
    if (named) yield forbidden(at, "may not specify more than 1 handler type");
    else yield* check(at, value, gracePeriod);
    named = true;
  }
  if (!named) yield required(field, "must specify a handler type");
}

type HandlerCheck = (field: string, value: object, gracePeriod: number | undefined) => Problems;

const kinds: { readonly [Name in keyof Required<Handler>]: HandlerCheck } = {
  *exec(field, { command }: Handler["exec"] & object) {
    if (!command?.length) yield required(`${field}.command`);
  },
  *httpGet(field, { path, scheme = "", port = 0, httpHeaders = [] }: HTTPGetAction) {
    if (!path) yield required(`${field}.path`);
    yield* refused(`${field}.port`, port, checkPort(port));
    yield* optionalChoice(`${field}.scheme`, scheme, "core/v1.HTTPGetAction");
    for (const { name = "" } of httpHeaders) {
      yield* refused(`${field}.httpHeaders`, name, checkHeaderName(name));
    }
  },
  *tcpSocket(field, { port = 0 }: Handler["tcpSocket"] & object) {
    yield* refused(`${field}.port`, port, checkPort(port));
  },
  *grpc(field, { port = 0 }: Handler["grpc"] & object) {
    yield* refused(`${field}.port`, port, checkPort(port));
  },
  *sleep(field, { seconds = 0 }: Handler["sleep"] & object, gracePeriod) {
    if (gracePeriod === undefined || (seconds >= 0 && seconds <= gracePeriod)) return;
    yield invalid(
      field,
      seconds,
      `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`,
    );
  },
};

function* ports(field: string, list: readonly ContainerPort[] = []): Problems {
  const names = new Set<string>();
  for (const [index, port] of list.entries()) {
    const at = `${field}[${index}]`;
    const { name = "", containerPort = 0, hostPort = 0, protocol } = port;
    if (name !== "") {
      const reasons = checkPortName(name);
      yield* refused(`${at}.name`, name, reasons);
      if (reasons.length === 0 && names.has(name)) yield duplicate(`${at}.name`, name);
      names.add(name);
    }
    if (containerPort === 0) yield required(`${at}.containerPort`);
    else yield* refused(`${at}.containerPort`, containerPort, checkPort(containerPort));
    if (hostPort !== 0) yield* refused(`${at}.hostPort`, hostPort, checkPort(hostPort));
    yield* choice(`${at}.protocol`, protocol, "core/v1.ContainerPort");
  }
}

/** A hostPort can be used only once. */
function* hostPorts(field: string, list: readonly Container[]): Problems {
  const taken = new Set<string>();
  for (const [index, container] of list.entries()) {
    for (const [each, { protocol = "", hostIP = "", hostPort = 0 }] of (container.ports ?? []).entries()) {
      if (hostPort === 0) continue;
      const port = `${protocol}/${hostIP}/${hostPort}`;
      if (taken.has(port)) yield duplicate(`${field}[${index}].ports[${each}].hostPort`, port);
      taken.add(port);
    }
  }
}

const resizable = ["cpu", "memory"];

const resizePolicies = ["NotRequired", "RestartContainer"];

function* resizing(field: string, { resizePolicy = [] }: Container, podPolicy: string | undefined): Problems {
  const seen = new Set<string>();
  for (const [index, { resourceName = "", restartPolicy = "" }] of resizePolicy.entries()) {
    if (seen.has(resourceName)) yield duplicate(`${field}[${index}]`, resourceName);
    seen.add(resourceName);
    yield* choice(field, resourceName, resizable);
    yield* choice(field, restartPolicy, resizePolicies);
    if (podPolicy === "Never" && restartPolicy !== "NotRequired") {
      const detail = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
      yield invalid(field, restartPolicy, detail);
    }
  }
}

const actions = ["Restart", "RestartAllContainers"];

const ruleLimit = 20;

const exitCodeLimit = 255;

/** The restartPolicy and restartPolicyRules of a container. */
function* restarts(field: string, container: Container): Generator<FieldError, void> {
  const { restartPolicy, restartPolicyRules: rules = [] } = container;
  if (restartPolicy !== undefined) {
    yield* optionalChoice(`${field}.restartPolicy`, restartPolicy, "core/v1.PodSpec");
  } else if (rules.length > 0) {
    yield required(`${field}.restartPolicy`, "must specify restartPolicy when restart rules are used");
  }
  if (rules.length > ruleLimit) yield tooMany(`${field}.restartPolicyRules`, rules.length, ruleLimit);
  for (const [index, { action = "", exitCodes }] of rules.entries()) {
    const at = `${field}.restartPolicyRules[${index}]`;
    yield* optionalChoice(`${at}.action`, action, actions);
    if (!exitCodes) {
      yield required(`${at}.exitCodes`, "must be specified");
      continue;
    }
    const { operator = "", values = [] } = exitCodes;
    if (operator !== "In" && operator !== "NotIn") {
      yield notSupported(`${at}.exitCodes.operator`, operator, ["In", "NotIn"]);
    }
    if (values.length > exitCodeLimit) {
      yield tooMany(`${at}.exitCodes.values`, values.length, exitCodeLimit);
    }
  }
}
