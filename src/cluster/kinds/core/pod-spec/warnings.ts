import type { Quantity } from "@tsbuilder/apimachinery/meta";
import { isWholeQuantity } from "@tsbuilder/apimachinery/quantity";
import { overlappingPaths } from "./overlapping-paths.ts";
import type { Container, ContainerPort, PodAffinity, PodSpec, Volume } from "./types.ts";

type Warnings = Generator<string, void>;

/** The warnings about a valid pod. `field` is empty for a pod, and the path of the template otherwise. */
export function* podWarnings(
  field: string,
  spec: PodSpec,
  annotations: Record<string, string> = {},
): Warnings {
  const at = field === "" ? "spec" : `${field}.spec`;
  yield* spreading(at, spec);
  yield* annotationWarnings(field === "" ? "metadata" : `${field}.metadata`, annotations);
  yield* volumeWarnings(at, spec);
  yield* overlappingPaths(spec.volumes ?? []);
  yield* repeated(
    `${at}.hostAliases`,
    "ip",
    (spec.hostAliases ?? []).map(({ ip = "" }) => ip),
  );
  yield* pullSecrets(`${at}.imagePullSecrets`, spec);
  yield* fractions(`${at}.overhead`, spec.overhead);
  for (const [path, container] of allContainers(at, spec)) {
    yield* fractions(`${path}.resources.limits`, container.resources?.limits);
    yield* fractions(`${path}.resources.requests`, container.resources?.requests);
    yield* hiddenVariables(`${path}.env`, container);
  }
  yield* portWarnings(at, spec);
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) {
    yield `${at}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`;
  }
  yield* affinityWarnings(`${at}.affinity.podAffinity`, spec.affinity?.podAffinity);
  yield* affinityWarnings(`${at}.affinity.podAntiAffinity`, spec.affinity?.podAntiAffinity);
}

function* allContainers(field: string, spec: PodSpec): Generator<[path: string, container: Container]> {
  for (const list of ["initContainers", "containers", "ephemeralContainers"] as const) {
    for (const [index, container] of (spec[list] ?? []).entries()) {
      yield [`${field}.${list}[${index}]`, container];
    }
  }
}

function* spreading(field: string, { topologySpreadConstraints = [] }: PodSpec): Warnings {
  for (const [index, { labelSelector }] of topologySpreadConstraints.entries()) {
    if (labelSelector) continue;
    yield `${field}.topologySpreadConstraints[${index}].labelSelector: a null labelSelector results in matching no pod`;
  }
}

const oldAnnotations: Readonly<Record<string, string>> = {
  "scheduler.alpha.kubernetes.io/critical-pod":
    'non-functional in v1.16+; use the "priorityClassName" field instead',
  "security.alpha.kubernetes.io/sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
  "security.alpha.kubernetes.io/unsafe-sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
};

function* annotationWarnings(field: string, annotations: Record<string, string>): Warnings {
  for (const [key, message] of Object.entries(oldAnnotations)) {
    if (key in annotations) yield `${field}.annotations[${key}]: ${message}`;
  }
}

const oldVolumes: Readonly<Partial<Record<keyof Volume, string>>> = {
  photonPersistentDisk: "deprecated in v1.11, non-functional in v1.16+",
  gitRepo: "deprecated in v1.11, and disabled by default in v1.33+",
  scaleIO: "deprecated in v1.16, non-functional in v1.22+",
  flocker: "deprecated in v1.22, non-functional in v1.25+",
  storageos: "deprecated in v1.22, non-functional in v1.25+",
  quobyte: "deprecated in v1.22, non-functional in v1.25+",
  glusterfs: "deprecated in v1.25, non-functional in v1.26+",
  cephfs: "deprecated in v1.28, non-functional in v1.31+",
  rbd: "deprecated in v1.28, non-functional in v1.31+",
};

function* volumeWarnings(field: string, { volumes = [] }: PodSpec): Warnings {
  for (const [index, volume] of volumes.entries()) {
    for (const [source, message] of Object.entries(oldVolumes)) {
      const shown = source === "storageos" ? "storageOS" : source;
      if (volume[source as keyof Volume]) yield `${field}.volumes[${index}].${shown}: ${message}`;
    }
  }
}

function* repeated(field: string, name: string, values: readonly string[]): Warnings {
  for (const [index, value] of values.entries()) {
    if (values.indexOf(value) === index) continue;
    yield `${field}[${index}].${name}: duplicate ${name} ${JSON.stringify(value)}`;
  }
}

function* pullSecrets(field: string, { imagePullSecrets = [] }: PodSpec): Warnings {
  const names = imagePullSecrets.map(({ name = "" }) => name);
  yield* repeated(field, "name", names);
  for (const [index, name] of names.entries()) {
    if (name === "") yield `${field}[${index}].name: invalid empty name ""`;
  }
}

function* fractions(field: string, resources: Record<string, Quantity> = {}): Warnings {
  for (const name of ["memory", "ephemeral-storage"]) {
    const amount = resources[name];
    if (amount === undefined || isWholeQuantity(amount)) continue;
    yield `${field}[${name}]: fractional byte value ${JSON.stringify(amount)} is invalid, must be an integer`;
  }
}

/** A second variable of the same name hides the first, unless it references it: `PATH=$(PATH):/more`. */
function* hiddenVariables(field: string, { env = [] }: Container): Warnings {
  const seen = new Set<string>();
  for (const [index, { name = "", value = "", valueFrom }] of env.entries()) {
    const reference = `$(${name})`;
    const builds = !valueFrom && value !== reference && value.includes(reference);
    if (seen.has(name) && !builds) {
      yield `${field}[${index}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`;
    }
    seen.add(name);
  }
}

interface PlacedPort {
  readonly path: string;
  readonly port: ContainerPort;
}

function* portWarnings(field: string, spec: PodSpec): Warnings {
  const all: PlacedPort[] = [];
  for (const [path, { ports = [] }] of allContainers(field, spec)) {
    all.push(...ports.map((port, index) => ({ path: `${path}.ports[${index}]`, port })));
  }
  for (const [index, later] of all.entries()) {
    yield* idleAddress(later);
    for (const earlier of all.slice(0, index)) yield* overlap(later, earlier);
  }
  const names = new Map<string, string>();
  for (const { path, port } of all) {
    if (!port.name) continue;
    const other = names.get(port.name);
    if (other === undefined) names.set(port.name, path);
    else {
      yield `${path}: duplicate port name ${JSON.stringify(port.name)} with ${other}, services and probes that select ports by name will use ${other}`;
    }
  }
}

/** The message shows the port as a Go struct. */
function* idleAddress({ path, port }: PlacedPort): Warnings {
  const { name = "", hostIP = "", hostPort = 0, containerPort, protocol } = port;
  if (hostIP === "" || hostPort !== 0) return;
  const shown = `Name:${name} HostPort:0 ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}`;
  yield `${path}: hostIP set without hostPort: {${shown}}`;
}

function* overlap({ path, port }: PlacedPort, other: PlacedPort): Warnings {
  if (port.containerPort !== other.port.containerPort || port.protocol !== other.port.protocol) return;
  const { hostIP = "", hostPort = 0 } = port;
  const { hostIP: otherIP = "", hostPort: otherPort = 0 } = other.port;
  if (hostIP === otherIP && hostPort === otherPort) {
    yield `${path}: duplicate port definition with ${other.path}`;
  } else if (hostPort === 0 || otherPort === 0) {
    yield `${path}: overlapping port definition with ${other.path}`;
  } else if (hostPort === otherPort && (hostIP === "") !== (otherIP === "")) {
    yield `${path}: dangerously ambiguous port definition with ${other.path}`;
  }
}

function* affinityWarnings(field: string, rules: PodAffinity = {}): Warnings {
  const message = "a null labelSelector results in matching no pod";
  const required = "requiredDuringSchedulingIgnoredDuringExecution";
  for (const [index, { labelSelector }] of (rules[required] ?? []).entries()) {
    if (!labelSelector) yield `${field}.${required}[${index}].labelSelector: ${message}`;
  }
  const preferred = "preferredDuringSchedulingIgnoredDuringExecution";
  for (const [index, { podAffinityTerm }] of (rules[preferred] ?? []).entries()) {
    if (podAffinityTerm?.labelSelector) continue;
    yield `${field}.${preferred}[${index}].podAffinityTerm.labelSelector: ${message}`;
  }
}
