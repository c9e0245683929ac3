import { createHash } from "node:crypto";
import {
  Children,
  type DeepReadonly,
  type Desired,
  type DesiredCondition,
  findCondition,
  type Manager,
  pruneServicePorts,
  type Rejection,
  setCondition,
  type Stored,
} from "@tsbuilder/runtime";
import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { HorizontalPodAutoscaler } from "@tsbuilder/runtime/k8s/autoscaling/v2";
import { ConfigMap, type Container, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { Ingress } from "@tsbuilder/runtime/k8s/networking/v1";
import { WebApp, type WebAppAutoscaling, type WebAppIngress } from "./types.ts";

// +kubebuilder:rbac:groups=web.example.com,resources=webapps,verbs=get;list;watch
// +kubebuilder:rbac:groups=web.example.com,resources=webapps/status,verbs=patch
// +kubebuilder:rbac:groups=web.example.com,resources=webapps/finalizers,verbs=update
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups="",resources=configmaps;services,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups=networking.k8s.io,resources=ingresses,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=autoscaling,resources=horizontalpodautoscalers,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

const hashAnnotation = "web.example.com/settings-hash";

/** The WebApp owns all that is made for it, so that nothing is left to do when it is deleted. */
export function setup(manager: Manager): void {
  const { client, clock } = manager;
  manager
    .controllerFor(WebApp)
    .owns(ConfigMap)
    .owns(Deployment)
    .owns(Service)
    .owns(Ingress)
    .owns(HorizontalPodAutoscaler)
    .complete({
      async reconcile({ namespace, name }) {
        const app = await client.find(WebApp, { namespace, name });
        if (!app || app.spec.paused) return;
        const { spec, metadata, status = {} } = app;
        const { ingress, autoscaling } = spec;
        const labels = labelsOf(name);
        const children = new Children(client, app, { clock });

        const data = spec.settings ?? {};
        const settings = await children.set(ConfigMap, settingsNameOf(name), { metadata: { labels }, data });
        // Without an autoscaler the number of pods is ours, so it has to go first.
        if (!autoscaling) await children.set(HorizontalPodAutoscaler, name, undefined);
        const hash = hashOf(settings?.data);
        // Pods can't start without their settings, and keep the former ones if the new ones are rejected.
        const deployment = settings && (await children.set(Deployment, name, deploymentFor(app, hash)));
        const scaled = deployment && (await scale(app, deployment));
        const autoscaler = scaled && autoscaling && autoscalerFor(name, autoscaling);
        if (autoscaler) await children.set(HorizontalPodAutoscaler, name, autoscaler);
        await children.set(Service, name, serviceFor(app), pruneServicePorts);
        await children.set(Ingress, name, ingress && ingressFor(name, ingress));

        let { conditions = [] } = status;
        conditions = setCondition(conditions, availabilityOf(scaled), clock);
        conditions = setCondition(conditions, progressOf(scaled), clock);
        conditions = setCondition(conditions, degradedBy(children.rejections), clock);
        await client.patchStatus(WebApp, app, {
          observedGeneration: metadata.generation!,
          readyReplicas: scaled?.status?.readyReplicas ?? 0,
          conditions,
        });
        return children.result(findCondition(conditions, "Degraded"));
      },
    });

  /**
   * Sets the number of pods. It is no part of what we apply: left out when an autoscaler comes, it would become 1
   * for a moment. An autoscaler never touches a Deployment that has no pods at all.
   */
  async function scale(
    { spec }: Stored<WebApp>,
    deployment: Stored<Deployment>,
  ): Promise<Stored<Deployment>> {
    const current = deployment.spec?.replicas ?? 1;
    const replicas = spec.autoscaling ? current || (spec.autoscaling.minReplicas ?? 1) : (spec.replicas ?? 1);
    return client.patch(Deployment, deployment, (draft) => {
      draft.spec!.replicas = replicas;
    });
  }
}

function settingsNameOf(name: string): string {
  return `${name}-settings`;
}

function labelsOf(name: string): Record<string, string> {
  return { "app.kubernetes.io/name": "webapp", "app.kubernetes.io/instance": name };
}

/** The same for the same variables, in whatever order they are. */
export function hashOf(data: DeepReadonly<Record<string, string>> = {}): string {
  const text = JSON.stringify(Object.entries(data).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

function deploymentFor({ spec, metadata }: Stored<WebApp>, hash: string): Desired<Deployment> {
  const name = metadata.name;
  const labels = labelsOf(name);
  const container: Container = {
    name: "app",
    image: spec.image,
    ports: [{ name: "http", containerPort: spec.port ?? 8080, protocol: "TCP" }],
    envFrom: [{ configMapRef: { name: settingsNameOf(name) } }],
    // The autoscaler compares the load with it.
    resources: { requests: { cpu: "10m" } },
  };
  return {
    metadata: { labels },
    spec: {
      selector: { matchLabels: labels },
      // Variables are read when a pod starts: another hash replaces the pods.
      template: {
        metadata: { labels, annotations: { [hashAnnotation]: hash } },
        spec: { containers: [container] },
      },
    },
  };
}

function serviceFor({ metadata }: Stored<WebApp>): Desired<Service> {
  const labels = labelsOf(metadata.name);
  const port = { name: "http", port: 80, targetPort: "http", protocol: "TCP" } as const;
  return { metadata: { labels }, spec: { selector: labels, ports: [port] } };
}

function ingressFor(name: string, { host, path = "/" }: DeepReadonly<WebAppIngress>): Desired<Ingress> {
  const backend = { service: { name, port: { name: "http" } } };
  return {
    metadata: { labels: labelsOf(name) },
    spec: { rules: [{ host, http: { paths: [{ path, pathType: "Prefix", backend }] } }] },
  };
}

function autoscalerFor(
  name: string,
  { minReplicas = 1, maxReplicas }: DeepReadonly<WebAppAutoscaling>,
): Desired<HorizontalPodAutoscaler> {
  const target = { type: "Utilization", averageUtilization: 75 };
  return {
    metadata: { labels: labelsOf(name) },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
      minReplicas,
      maxReplicas,
      metrics: [{ type: "Resource", resource: { name: "cpu", target } }],
    },
  };
}

/** Available is what the Deployment says. */
function availabilityOf(deployment: Stored<Deployment> | undefined): DesiredCondition {
  const { status, reason, message } =
    deployment?.status?.conditions?.find(({ type }) => type === "Available") ?? {};
  const isAvailable = status === "True" ? "True" : "False";
  return { type: "Available", status: isAvailable, reason: reason ?? "NoPods", message: message ?? "" };
}

/** Progressing lasts until all pods are of the newest template, and there. */
function progressOf(deployment: Stored<Deployment> | undefined): DesiredCondition {
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = deployment?.status ?? {};
  const wanted = deployment?.spec?.replicas ?? 1;
  const isSeen = (deployment?.status?.observedGeneration ?? 0) >= (deployment?.metadata.generation ?? 1);
  const isDone = isSeen && [replicas, updatedReplicas, availableReplicas].every((count) => count === wanted);
  return isDone
    ? { type: "Progressing", status: "False", reason: "RolledOut" }
    : { type: "Progressing", status: "True", reason: "RollingOut" };
}

function degradedBy([rejection]: readonly Rejection[]): DesiredCondition {
  return rejection
    ? { type: "Degraded", status: "True", reason: rejection.reason, message: rejection.message }
    : { type: "Degraded", status: "False", reason: "AsWished" };
}
