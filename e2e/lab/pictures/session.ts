// A session of an operator for web applications, for pictures of the page: the same each time, to the millisecond. Five of twelve
// objects fail, for four reasons; two writers fight over a ConfigMap.

import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type {
  Recorded,
  RecordedReconcile,
  RecordedSession,
  RecordedWrite,
} from "../../../src/dev/record/recorded.ts";

const start = Date.UTC(2026, 8, 1, 10, 0, 0);
const operator = {
  user: "system:serviceaccount:web-operator-system:controller-manager",
  userAgent: "web-operator",
};
const person = { user: "ann", userAgent: "kubectl/v1.36.0 (linux/amd64)" };
const controllers = { user: "system:serviceaccount:kube-system:deployment-controller" };
const appservices = "appservices.apps.example.com";

const time = (milliseconds: number): string => new Date(start + milliseconds).toISOString();

/** Returns the lines of the session. */
export function pictureSession(): (RecordedSession | Recorded)[] {
  const lines: Recorded[] = [];
  const write = (
    at: number,
    resource: string,
    by: RecordedWrite["by"],
    object: KubernetesObject,
    type: RecordedWrite["write"] = "ADDED",
  ): void => {
    const { namespace, name = "" } = object.metadata;
    const key = namespace === undefined ? name : `${namespace}/${name}`;
    lines.push({ type: "write", at: time(at), write: type, resource, key, by, object });
  };
  const reconcile = (at: number, name: string, more: Partial<RecordedReconcile> = {}): void => {
    lines.push({
      type: "reconcile",
      at: time(at),
      controller: "appservice",
      request: `shop/${name}`,
      reconcileID: `${name}-${at}`,
      causes: [`update of AppService shop/${name}`],
      requests: [],
      outcome: "done",
      seconds: 0.006,
      ...more,
    });
  };
  const object = (kind: string, apiVersion: string, name: string, more: object = {}, owner?: string) =>
    ({
      apiVersion,
      kind,
      metadata: {
        namespace: "shop",
        name,
        uid: `${kind}-${name}`,
        creationTimestamp: time(0),
        generation: 1,
        ...(owner !== undefined && { ownerReferences: [{ uid: owner, controller: true }] }),
      },
      ...more,
    }) as unknown as KubernetesObject;
  const app = (name: string, replicas: number, ready: number, conditions: readonly object[]) =>
    object("AppService", "apps.example.com/v1", name, {
      spec: { image: `registry.example.com/${name}:1.4`, replicas },
      status: { readyReplicas: ready, observedGeneration: 1, conditions },
    });
  const condition = (type: string, status: string, reason: string, message = "") => ({
    type,
    status,
    reason,
    message,
    lastTransitionTime: time(2000),
  });
  const well = [
    condition("Available", "True", "DeploymentAvailable"),
    condition("Degraded", "False", "AsExpected"),
  ];

  lines.push({ type: "dev", at: time(0), text: "ready" });
  write(10, "customresourcedefinitions.apiextensions.k8s.io", person, {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: appservices },
    spec: { versions: [{ name: "v1", additionalPrinterColumns: columns }] },
  } as unknown as KubernetesObject);
  const wellNames = ["search", "cart", "api", "docs", "mail", "login", "front"];
  for (const [index, name] of [...wellNames, ...Object.keys(failing), "jobs"].entries()) {
    const at = 200 + index * 90;
    write(at, appservices, person, app(name, 2, 0, []));
    lines.push({
      type: "operator",
      at: time(at + 5),
      text: JSON.stringify({
        level: "info",
        msg: "Reconciled",
        controller: "appservice",
        controllerKind: "AppService",
      }),
    });
    if (Object.hasOwn(failing, name)) continue;
    reconcile(at + 8, name);
    deploy(
      at + 20,
      name,
      name === "jobs" ? { phase: "Pending", containerStatuses: pulling(name) } : undefined,
    );
    const conditions =
      name === "jobs"
        ? [
            condition("Available", "False", "Waiting"),
            condition("Degraded", "True", "ImagePullBackOff", "registry.example.com/jobs:1.4 does not exist"),
          ]
        : well;
    write(at + 60, appservices, operator, app(name, 2, name === "jobs" ? 0 : 2, conditions), "MODIFIED");
    reconcile(at + 66, name);
  }
  for (const [name, failure] of Object.entries(failing))
    for (const [tried, delay] of [0, 1, 3, 7, 15, 31, 63].entries())
      reconcile(1500 + delay * 500 + name.length * 40 + tried, name, {
        outcome: "error",
        causes: [tried === 0 ? `add of AppService shop/${name}` : "retry after error"],
        ...failure,
      });
  const settings = (size: string) =>
    object("ConfigMap", "v1", "search-settings", { data: { size } }, "AppService-search");
  write(3000, "configmaps", operator, settings("10"));
  for (let round = 0; round < 4; round++) {
    write(12_000 + round * 6000, "configmaps", person, settings("25"), "MODIFIED");
    write(12_030 + round * 6000, "configmaps", operator, settings("10"), "MODIFIED");
    reconcile(12_010 + round * 6000, "search", { causes: ["update of ConfigMap shop/search-settings"] });
  }
  const sorted = lines.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  return [
    { type: "session", format: 1, at: time(0), project: "web-operator", tsbuilder: "0.1.0" },
    ...sorted,
  ];

  function deploy(at: number, name: string, podStatus: object = { phase: "Running" }): void {
    const [set, isReady] = [`${name}-6d4cf5`, !("containerStatuses" in podStatus)];
    const counts = { replicas: 2, readyReplicas: isReady ? 2 : 0 };
    const available = condition("Available", isReady ? "True" : "False", "MinimumReplicasAvailable");
    write(
      at,
      "deployments.apps",
      operator,
      object(
        "Deployment",
        "apps/v1",
        name,
        { spec: { replicas: 2 }, status: { ...counts, conditions: [available] } },
        `AppService-${name}`,
      ),
    );
    write(
      at + 1,
      "services",
      operator,
      object("Service", "v1", name, { spec: { ports: [{ port: 80 }] } }, `AppService-${name}`),
    );
    write(
      at + 5,
      "replicasets.apps",
      controllers,
      object("ReplicaSet", "apps/v1", set, { spec: { replicas: 2 }, status: counts }, `Deployment-${name}`),
    );
    for (const suffix of ["x7k2p", "m9qwd"])
      write(
        at + 9,
        "pods",
        controllers,
        object(
          "Pod",
          "v1",
          `${set}-${suffix}`,
          { status: { ...podStatus, conditions: isReady ? [condition("Ready", "True", "")] : [] } },
          `ReplicaSet-${set}`,
        ),
      );
  }
}

const columns = [
  { name: "Ready", type: "integer", jsonPath: ".status.readyReplicas" },
  { name: "Image", type: "string", jsonPath: ".spec.image" },
];

const pulling = (name: string) => [
  {
    name,
    ready: false,
    restartCount: 0,
    state: {
      waiting: { reason: "ImagePullBackOff", message: `registry.example.com/${name}:1.4 does not exist` },
    },
  },
];

const source = "/home/ann/web-operator/src/controller";

function failsAt(
  name: string,
  message: string,
  functionName: string,
  place: string,
): Partial<RecordedReconcile> {
  const frames = [
    `at ${functionName} (${source}/${place})`,
    `at AppServiceReconciler.reconcile (${source}/appservice_controller.ts:73:28)`,
  ];
  return {
    error: message,
    stack: [`${name}: ${message}`, ...frames.map((frame) => `    ${frame}`)].join("\n"),
  };
}

const refused =
  '[…] secrets is forbidden: User "system:serviceaccount:web-operator-system:controller-manager" cannot create resource "secrets"';

/** How the reconciles of each failing object fail. */
const failing: Readonly<Record<string, Partial<RecordedReconcile>>> = {
  blog: failsAt(
    "TypeError",
    "Cannot read properties of undefined (reading 'port')",
    "serviceFor",
    "appservice_controller.ts:138:17",
  ),
  news: failsAt(
    "TypeError",
    "Cannot read properties of undefined (reading 'port')",
    "serviceFor",
    "appservice_controller.ts:138:17",
  ),
  admin: {
    ...failsAt("ApiError", refused.slice(4), "passwordOf", "appservice_controller.ts:151:9"),
    requests: [{ method: "POST", path: "/api/v1/namespaces/shop/secrets", code: "403", seconds: 0.003 }],
  },
  stats: failsAt(
    "TypeError",
    "fetch failed: connect ECONNREFUSED 10.96.0.12:8428",
    "measure",
    "stats.ts:24:20",
  ),
};
