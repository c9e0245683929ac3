// The code that `create api --owns` scaffolds for each built-in kind: its import, permissions, watch, child and test, and a
// function that returns the child, with the fields that the API server requires.

import { parseApiVersion } from "@tsbuilder/apimachinery/meta";
import { pluralize } from "@tsbuilder/apimachinery/naming";

/** The names in code around the kinds. */
interface OwnerNames {
  /** The owner's kind, and the variable that holds the object. */
  readonly kind: string;
  readonly variable: string;
  readonly namespaced: boolean;
  /** The end of a marker, which names a role. */
  readonly ofClusterRole: string;
}

/** A built-in kind with the names in code that follow from it. */
interface OwnedKind {
  readonly group: string;
  readonly kind: string;
  readonly module: string;
  readonly functionName: string;
}

/** Returns the texts of the templates in `create-api/owning-controller`, for kinds such as `apps/v1/Deployment`. */
export function ownedKindsContext(owns: readonly string[], owner: OwnerNames) {
  const kinds = owns.map(readOwnedKind);
  const childKey = owner.namespaced ? "name" : '{ namespace: "default", name }';
  const testKey = owner.namespaced ? "key" : '{ namespace: "default", name: key.name }';
  const lines = (format: (kind: OwnedKind) => string): string => kinds.map(format).join("\n");
  return {
    ownedImports: importLines(kinds, "import"),
    beforeApplyImport: kinds.some(({ kind }) => kind === "Service") ? "  pruneServicePorts,\n" : "",
    storedType: storedType(owner),
    resourceImports: `${owner.namespaced ? "" : "type ClusterScopedName, "}type Desired, shortName, type Stored`,
    ownedTypeImports: importLines(kinds, "import type"),
    ownedFunctions: kinds.map(({ functionName }) => functionName).join(", "),
    ownedMarkers: lines(
      ({ group, kind }) =>
        `// +kubebuilder:rbac:groups=${group === "" ? '""' : group},resources=${pluralize(kind.toLowerCase())},` +
        `verbs=get;list;watch;create;patch;delete${owner.ofClusterRole}`,
    ),
    ownedChildren: lines(
      ({ kind, functionName }) =>
        `    children.add(${kind}, ${childKey}, ${functionName}(${owner.variable})${optionsOf(kind)});`,
    ),
    ownedWatches: lines(({ kind }) => `    .owns(${kind})`),
    ownedExpectations: lines(({ kind }) => `  await eventually(() => client.get(${kind}, ${testKey}));`),
    ownedBodies: kinds.map((owned) => functionText(owned, owner)).join("\n\n"),
  };
}

/** An apply alone can't remove ports that somebody added to a Service. */
function optionsOf(kind: string): string {
  return kind === "Service" ? ", { prepare: pruneServicePorts }" : "";
}

function readOwnedKind(text: string): OwnedKind {
  const slash = text.lastIndexOf("/");
  const kind = text.slice(slash + 1);
  const { group, version } = parseApiVersion(text.slice(0, slash));
  const folder = group === "" ? "core" : group.split(".")[0];
  return {
    group,
    kind,
    module: `@tsbuilder/runtime/k8s/${folder}/${version}`,
    functionName: `${kind.slice(0, 1).toLowerCase()}${kind.slice(1)}For`,
  };
}

/** The type of the owner as `find` returns it. */
function storedType({ kind, namespaced }: OwnerNames): string {
  return namespaced ? `Stored<${kind}>` : `Stored<${kind}, ClusterScopedName>`;
}

/** One line for each module, in the order of their names. */
function importLines(kinds: readonly OwnedKind[], keyword: string): string {
  const modules = [...new Set(kinds.map(({ module }) => module))].sort();
  return modules
    .map((module) => {
      const names = kinds.filter((other) => other.module === module).map(({ kind }) => kind);
      return `${keyword} { ${names.sort().join(", ")} } from "${module}";`;
    })
    .join("\n");
}

function functionText({ kind, functionName }: OwnedKind, owner: OwnerNames): string {
  const body = bodies[kind] ?? ["// Add what the API server requires of it."];
  return [
    `/** The ${kind}. */`,
    `export function ${functionName}(${owner.variable}: ${storedType(owner)}): Desired<${kind}> {`,
    `  const labels = labelsOf(${owner.variable});`,
    "  return {",
    "    metadata: { labels },",
    ...body.map((line) => `    ${line}`),
    "  };",
    "}",
  ].join("\n");
}

const container = '{ name: "main", image: "nginx:1.29" }';
const workload = [
  "spec: {",
  "  selector: { matchLabels: labels },",
  "  template: {",
  "    metadata: { labels },",
  `    spec: { containers: [${container}] },`,
  "  },",
  "},",
];
const jobSpec = [
  "  template: {",
  "    metadata: { labels },",
  `    spec: { restartPolicy: "OnFailure", containers: [${container}] },`,
  "  },",
];

/** The fields besides the metadata that the API server requires, or that make the object useful, by kind. */
const bodies: Readonly<Record<string, readonly string[]>> = {
  Deployment: workload,
  StatefulSet: ["spec: {", "  serviceName: labels[INSTANCE]!,", ...workload.slice(1)],
  DaemonSet: workload,
  ReplicaSet: workload,
  Pod: [`spec: { containers: [${container}] },`],
  Job: ["spec: {", ...jobSpec, "},"],
  CronJob: [
    "spec: {",
    '  schedule: "0 * * * *",',
    "  jobTemplate: {",
    "    spec: {",
    ...jobSpec.map((line) => `    ${line}`),
    "    },",
    "  },",
    "},",
  ],
  Service: ["spec: { selector: labels, ports: [{ port: 80 }] },"],
  ConfigMap: ["data: {},"],
  Secret: ["stringData: {},"],
  ServiceAccount: [],
  PersistentVolumeClaim: [
    "spec: {",
    '  accessModes: ["ReadWriteOnce"],',
    '  resources: { requests: { storage: "1Gi" } },',
    "},",
  ],
  HorizontalPodAutoscaler: [
    "spec: {",
    "  maxReplicas: 3,",
    '  scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: labels[INSTANCE]! },',
    "},",
  ],
  Ingress: ["spec: { defaultBackend: { service: { name: labels[INSTANCE]!, port: { number: 80 } } } },"],
  Role: ["rules: [],"],
  RoleBinding: [
    'roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },',
    "subjects: [],",
  ],
  ResourceQuota: ['spec: { hard: { pods: "10" } },'],
  NetworkPolicy: ["spec: { podSelector: { matchLabels: labels } },"],
  PodDisruptionBudget: ["spec: { maxUnavailable: 1, selector: { matchLabels: labels } },"],
};
