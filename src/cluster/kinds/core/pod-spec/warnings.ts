import type { Quantity } from "@tsbuilder/apimachinery/meta";
import { isWholeQuantity } from "@tsbuilder/apimachinery/quantity";
import type {
  Container,
  ContainerPort,
  KeyToPath,
  PodAffinity,
  PodSpec,
  Volume,
  VolumeProjection,
} from "./types.ts";

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

interface Place {
  readonly path: string;
  /** The source of a projected volume that has the path; empty for other volumes. */
  readonly source: string;
}

/** Finds conflicting paths of files in a volume. */
function* overlappingPaths(volumes: readonly Volume[]): Generator<string, void> {
  for (const { name = "", configMap, secret, downwardAPI, projected } of volumes) {
    const say = (kind: string, [a, b]: readonly [Place, Place]): string =>
      `volume ${JSON.stringify(name)} (${kind}): overlapping paths: ${show(a)} with ${show(b)}`;
    if (configMap) {
      const kind = `ConfigMap ${JSON.stringify(configMap.name ?? "")}`;
      for (const pair of overlaps(places(configMap.items))) yield say(kind, pair);
    }
    if (secret) {
      const kind = `Secret ${JSON.stringify(secret.secretName ?? "")}`;
      for (const pair of overlaps(places(secret.items))) yield say(kind, pair);
    }
    for (const pair of overlaps(places(downwardAPI?.items))) yield say("DownwardAPI", pair);
    const projections = projected?.sources ?? [];
    if (projections.some((source) => Object.keys(source).length === 0)) {
      yield `volume ${JSON.stringify(name)} (Projected) has no sources provided`;
    }
    for (const pair of overlaps(projections.flatMap(projectedPlaces))) yield say("Projected", pair);
  }
}

function projectedPlaces({ configMap, secret, downwardAPI, serviceAccountToken }: VolumeProjection): Place[] {
  if (configMap?.items) return places(configMap.items, `ConfigMap ${JSON.stringify(configMap.name ?? "")}`);
  if (secret?.items) return places(secret.items, `Secret ${JSON.stringify(secret.name ?? "")}`);
  if (downwardAPI?.items) return places(downwardAPI.items, "DownwardAPI");
  if (serviceAccountToken) return places([serviceAccountToken], "ServiceAccountToken");
  return [];
}

function places(items: ReadonlyArray<Pick<KeyToPath, "path">> = [], source = ""): Place[] {
  return items.map(({ path = "" }) => ({ path: path.replace(/\/+$/, ""), source }));
}

function* overlaps(all: readonly Place[]): Generator<readonly [Place, Place]> {
  for (const [index, later] of all.entries()) {
    for (const earlier of all.slice(0, index)) {
      if (earlier.path === "" || later.path === "") continue;
      if (isBelow(earlier.path, later.path) || isBelow(later.path, earlier.path)) yield [later, earlier];
    }
  }
}

function isBelow(path: string, folder: string): boolean {
  return `${path}/`.startsWith(`${folder}/`);
}

function show({ path, source }: Place): string {
  return source === "" ? JSON.stringify(path) : `${JSON.stringify(path)} (${source})`;
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
