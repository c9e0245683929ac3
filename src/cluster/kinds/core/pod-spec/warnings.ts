import type * as core from "@tsbuilder/apimachinery/k8s/core/v1";
import type { Sent } from "../../../contract/api-object.ts";
import type { Quantity } from "@tsbuilder/apimachinery/meta";
import { isWholeQuantity } from "@tsbuilder/apimachinery/quantity";
import { itemsOf } from "../../checks/problems.ts";
import { type Container, type PodSpec, type Volume, containersIn } from "./types.ts";

type Warnings = Generator<string, void>;

/** The warnings about a valid pod. `field` is empty for a pod, and the path of the template otherwise. */
export function* podWarnings(
  field: string,
  spec: PodSpec,
  annotations: Record<string, string> = {},
): Warnings {
  const at = field === "" ? "spec" : `${field}.spec`;
  yield* spreadWarnings(at, spec);
  yield* annotationWarnings(field === "" ? "metadata" : `${field}.metadata`, annotations);
  yield* volumeWarnings(at, spec);
  yield* pathWarnings(spec.volumes ?? []);
  yield* duplicateWarnings(
    `${at}.hostAliases`,
    "ip",
    (spec.hostAliases ?? []).map(({ ip = "" }) => ip),
  );
  yield* pullSecretWarnings(`${at}.imagePullSecrets`, spec);
  yield* fractionWarnings(`${at}.overhead`, spec.overhead);
  for (const [path, container] of allContainers(at, spec)) {
    yield* fractionWarnings(`${path}.resources.limits`, container.resources?.limits);
    yield* fractionWarnings(`${path}.resources.requests`, container.resources?.requests);
    yield* variableWarnings(`${path}.env`, container);
  }
  yield* portWarnings(at, spec);
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) {
    yield `${at}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`;
  }
  yield* affinityWarnings(`${at}.affinity.podAffinity`, spec.affinity?.podAffinity);
  yield* affinityWarnings(`${at}.affinity.podAntiAffinity`, spec.affinity?.podAntiAffinity);
}

interface FilePath {
  readonly path: string;
  /** The source of a projected volume that has the path; empty for other volumes. */
  readonly source: string;
}

/** Finds conflicting paths of files in a volume. */
function* pathWarnings(volumes: readonly Volume[]): Generator<string, void> {
  for (const { name = "", configMap, secret, downwardAPI, projected } of volumes) {
    const volume = `volume ${JSON.stringify(name)}`;
    const projections = projected?.sources ?? [];
    const found: ReadonlyArray<readonly [kind: string, all: FilePath[]]> = [
      [`ConfigMap ${JSON.stringify(configMap?.name ?? "")}`, pathsOf(configMap?.items)],
      [`Secret ${JSON.stringify(secret?.secretName ?? "")}`, pathsOf(secret?.items)],
      ["DownwardAPI", pathsOf(downwardAPI?.items)],
      ["Projected", projections.flatMap(projectedPaths)],
    ];
    if (projections.some((source) => Object.keys(source).length === 0)) {
      yield `${volume} (Projected) has no sources provided`;
    }
    for (const [kind, all] of found) {
      for (const [a, b] of findOverlaps(all)) {
        yield `${volume} (${kind}): overlapping paths: ${formatPath(a)} with ${formatPath(b)}`;
      }
    }
  }
}

function projectedPaths({
  configMap,
  secret,
  downwardAPI,
  serviceAccountToken,
}: Sent<core.VolumeProjection>): FilePath[] {
  if (configMap?.items) return pathsOf(configMap.items, `ConfigMap ${JSON.stringify(configMap.name ?? "")}`);
  if (secret?.items) return pathsOf(secret.items, `Secret ${JSON.stringify(secret.name ?? "")}`);
  if (downwardAPI?.items) return pathsOf(downwardAPI.items, "DownwardAPI");
  if (serviceAccountToken) return pathsOf([serviceAccountToken], "ServiceAccountToken");
  return [];
}

function pathsOf(items: ReadonlyArray<Pick<Sent<core.KeyToPath>, "path">> = [], source = ""): FilePath[] {
  return items.map(({ path = "" }) => ({ path: path.replace(/\/+$/, ""), source }));
}

function* findOverlaps(all: readonly FilePath[]): Generator<readonly [FilePath, FilePath]> {
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

function formatPath({ path, source }: FilePath): string {
  return source === "" ? JSON.stringify(path) : `${JSON.stringify(path)} (${source})`;
}

function allContainers(field: string, spec: PodSpec): ReturnType<typeof containersIn> {
  return containersIn(field, spec, "initContainers", "containers", "ephemeralContainers");
}

const nullSelector = "labelSelector: a null labelSelector results in matching no pod";

function* spreadWarnings(field: string, { topologySpreadConstraints: list }: PodSpec): Warnings {
  for (const [at, { labelSelector }] of itemsOf(`${field}.topologySpreadConstraints`, list)) {
    if (!labelSelector) yield `${at}.${nullSelector}`;
  }
}

const deprecatedAnnotations: Readonly<Record<string, string>> = {
  "scheduler.alpha.kubernetes.io/critical-pod":
    'non-functional in v1.16+; use the "priorityClassName" field instead',
  "security.alpha.kubernetes.io/sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
  "security.alpha.kubernetes.io/unsafe-sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
};

function* annotationWarnings(field: string, annotations: Record<string, string>): Warnings {
  for (const [key, message] of Object.entries(deprecatedAnnotations)) {
    if (key in annotations) yield `${field}.annotations[${key}]: ${message}`;
  }
}

/** The volumes that no kubelet mounts any more. */
const deprecatedSources = {
  photonPersistentDisk: "deprecated in v1.11, non-functional in v1.16+",
  gitRepo: "deprecated in v1.11, and disabled by default in v1.33+",
  scaleIO: "deprecated in v1.16, non-functional in v1.22+",
  flocker: "deprecated in v1.22, non-functional in v1.25+",
  storageos: "deprecated in v1.22, non-functional in v1.25+",
  quobyte: "deprecated in v1.22, non-functional in v1.25+",
  glusterfs: "deprecated in v1.25, non-functional in v1.26+",
  cephfs: "deprecated in v1.28, non-functional in v1.31+",
  rbd: "deprecated in v1.28, non-functional in v1.31+",
} as const;

type DeprecatedSource = keyof typeof deprecatedSources;

function* volumeWarnings(field: string, { volumes }: PodSpec): Warnings {
  for (const [at, volume] of itemsOf(`${field}.volumes`, volumes)) {
    yield* deprecatedSourceWarnings(at, volume, Object.keys(deprecatedSources) as DeprecatedSource[]);
  }
}

/** Warns of the sources of a volume that no kubelet mounts any more, in the order of `names`. */
export function* deprecatedSourceWarnings<Name extends DeprecatedSource>(
  field: string,
  volume: { readonly [Each in Name]?: unknown },
  names: readonly Name[],
): Warnings {
  for (const name of names) {
    // The server capitalizes this field.
    const shown = name === "storageos" ? "storageOS" : name;
    if (volume[name]) yield `${field}.${shown}: ${deprecatedSources[name]}`;
  }
}

function* duplicateWarnings(field: string, name: string, values: readonly string[]): Warnings {
  for (const [index, value] of values.entries()) {
    if (values.indexOf(value) === index) continue;
    yield `${field}[${index}].${name}: duplicate ${name} ${JSON.stringify(value)}`;
  }
}

function* pullSecretWarnings(field: string, { imagePullSecrets = [] }: PodSpec): Warnings {
  const names = imagePullSecrets.map(({ name = "" }) => name);
  yield* duplicateWarnings(field, "name", names);
  for (const [index, name] of names.entries()) {
    if (name === "") yield `${field}[${index}].name: invalid empty name ""`;
  }
}

function* fractionWarnings(field: string, resources: Record<string, Quantity> = {}): Warnings {
  for (const name of ["memory", "ephemeral-storage"]) {
    const amount = resources[name];
    if (amount === undefined || isWholeQuantity(amount)) continue;
    yield `${field}[${name}]: fractional byte value ${JSON.stringify(amount)} is invalid, must be an integer`;
  }
}

/** A second variable of the same name hides the first, unless it references it: `PATH=$(PATH):/more`. */
function* variableWarnings(field: string, { env }: Container): Warnings {
  const seen = new Set<string>();
  for (const [at, { name = "", value = "", valueFrom }] of itemsOf(field, env)) {
    const reference = `$(${name})`;
    const builds = !valueFrom && value !== reference && value.includes(reference);
    if (seen.has(name) && !builds) {
      yield `${at}: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`;
    }
    seen.add(name);
  }
}

type PortAtPath = readonly [path: string, port: Sent<core.ContainerPort>];

function* portWarnings(field: string, spec: PodSpec): Warnings {
  const all: PortAtPath[] = [];
  for (const [container, { ports }] of allContainers(field, spec)) {
    for (const [path, port] of itemsOf(`${container}.ports`, ports)) all.push([path, port]);
  }
  for (const [index, later] of all.entries()) {
    yield* hostIPWarnings(later);
    for (const earlier of all.slice(0, index)) yield* overlapWarnings(later, earlier);
  }
  const names = new Map<string, string>();
  for (const [path, port] of all) {
    if (!port.name) continue;
    const other = names.get(port.name);
    if (other === undefined) names.set(port.name, path);
    else {
      yield `${path}: duplicate port name ${JSON.stringify(port.name)} with ${other}, services and probes that select ports by name will use ${other}`;
    }
  }
}

/** The message shows the port as a Go struct. */
function* hostIPWarnings([path, port]: PortAtPath): Warnings {
  const { name = "", hostIP = "", hostPort = 0, containerPort, protocol } = port;
  if (hostIP === "" || hostPort !== 0) return;
  const shown = `Name:${name} HostPort:0 ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}`;
  yield `${path}: hostIP set without hostPort: {${shown}}`;
}

function* overlapWarnings([path, port]: PortAtPath, [otherPath, other]: PortAtPath): Warnings {
  if (port.containerPort !== other.containerPort || port.protocol !== other.protocol) return;
  const { hostIP = "", hostPort = 0 } = port;
  const { hostIP: otherIP = "", hostPort: otherPort = 0 } = other;
  if (hostIP === otherIP && hostPort === otherPort) {
    yield `${path}: duplicate port definition with ${otherPath}`;
  } else if (hostPort === 0 || otherPort === 0) {
    yield `${path}: overlapping port definition with ${otherPath}`;
  } else if (hostPort === otherPort && (hostIP === "") !== (otherIP === "")) {
    yield `${path}: dangerously ambiguous port definition with ${otherPath}`;
  }
}

function* affinityWarnings(field: string, rules: Sent<core.PodAffinity> = {}): Warnings {
  const required = "requiredDuringSchedulingIgnoredDuringExecution";
  for (const [at, { labelSelector }] of itemsOf(`${field}.${required}`, rules[required])) {
    if (!labelSelector) yield `${at}.${nullSelector}`;
  }
  const preferred = "preferredDuringSchedulingIgnoredDuringExecution";
  for (const [at, { podAffinityTerm }] of itemsOf(`${field}.${preferred}`, rules[preferred])) {
    if (!podAffinityTerm?.labelSelector) yield `${at}.podAffinityTerm.${nullSelector}`;
  }
}
