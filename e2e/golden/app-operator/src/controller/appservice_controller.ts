/*
 * SPDX-License-Identifier: Apache-2.0
 */

import {
  Children,
  type Client,
  type Clock,
  type Context,
  type Desired,
  findCondition,
  type Manager,
  type NamespacedName,
  pruneServicePorts,
  type Reconciler,
  type Result,
} from "@tsbuilder/runtime";
import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { HorizontalPodAutoscaler } from "@tsbuilder/runtime/k8s/autoscaling/v2";
import { ConfigMap, Pod, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { Ingress } from "@tsbuilder/runtime/k8s/networking/v1";
import { PodDisruptionBudget } from "@tsbuilder/runtime/k8s/policy/v1";
import { type Autoscaling, AppService } from "../../api/v1/appservice_types.ts";
import {
  autoscalerFor,
  configMapFor,
  configName,
  deploymentFor,
  disruptionBudgetFor,
  fewestReplicas,
  ingressFor,
  selectorLabels,
  serviceFor,
} from "./appservice_resources.ts";
import { pausedStatus, statusFor } from "./appservice_status.ts";

// +kubebuilder:rbac:groups=apps.example.com,resources=appservices,verbs=list;watch
// +kubebuilder:rbac:groups=apps.example.com,resources=appservices/status,verbs=patch
// +kubebuilder:rbac:groups=apps.example.com,resources=appservices/finalizers,verbs=update
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups="",resources=services,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=pods,verbs=list;watch
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=networking.k8s.io,resources=ingresses,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=autoscaling,resources=horizontalpodautoscalers,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=policy,resources=poddisruptionbudgets,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/**
 * Reconciles the Deployment, the Service and the other objects of an AppService.
 * It needs no finalizer: the AppService owns all of them, so they are garbage-collected.
 */
export class AppServiceReconciler implements Reconciler {
  readonly #client: Client;
  readonly #clock: Clock;

  constructor({ client, clock }: Manager) {
    this.#client = client;
    this.#clock = clock;
  }

  async reconcile(request: NamespacedName, { events, log }: Context): Promise<Result> {
    const app = await this.#client.find(AppService, request);
    if (!app) {
      log.info("AppService not found: it was deleted, and its objects are garbage-collected");
      return;
    }
    if (app.spec.paused) {
      await this.#client.patchStatus(AppService, app, pausedStatus(app, this.#clock));
      return;
    }
    const { namespace, name } = request;
    const { config, ports = [], ingress, autoscaling } = app.spec;
    const [port] = ports;

    const children = new Children(this.#client, app, { clock: this.#clock });
    await children.set(ConfigMap, configName(app), config && configMapFor(app, config));
    // While there is an autoscaler, `replicas` is never ours: it goes before we set the number again.
    if (autoscaling) await this.#handOverReplicas(children, request, autoscaling);
    else await children.set(HorizontalPodAutoscaler, name, undefined);
    const deployment = await children.set(Deployment, name, deploymentFor(app));
    // An autoscaler references its Deployment by name, and must not scale that of another owner.
    const autoscaler = deployment && autoscaling && autoscalerFor(app, autoscaling);
    if (autoscaling) await children.set(HorizontalPodAutoscaler, name, autoscaler);
    const desiredService = port && serviceFor(app, ports);
    const service = await children.set(Service, name, desiredService, pruneServicePorts);
    await children.set(Ingress, name, ingress && port && ingressFor(app, ingress, port));
    const budget = fewestReplicas(app) > 1 ? disruptionBudgetFor(app) : undefined;
    await children.set(PodDisruptionBudget, name, budget);

    const { rejections } = children;
    const pods = await this.#client.list(Pod, { namespace, labels: selectorLabels(app) });
    const status = statusFor(app, { deployment, pods, service, rejections }, this.#clock);
    await this.#client.patchStatus(AppService, app, status);
    for (const { reason, message } of rejections) events.warning(app, reason, message);
    return children.result(findCondition(status.conditions, "Degraded"));
  }

  /**
   * With an autoscaler, `replicas` is removed from what we apply, and a field without a manager is reset to 1. So
   * another field manager first takes over the current number; it must not be 0, which an autoscaler never changes.
   */
  async #handOverReplicas(
    children: Children,
    { namespace, name }: NamespacedName,
    { minReplicas = 1 }: Autoscaling,
  ): Promise<void> {
    const deployment = await children.find(Deployment, name);
    const autoscaler = await children.find(HorizontalPodAutoscaler, name);
    if (!deployment?.spec || autoscaler) return;
    const { replicas = 1, selector } = deployment.spec;
    const spec = { replicas: Math.max(replicas, minReplicas), selector };
    // An old number, of before the last scaling, is a conflict.
    const { resourceVersion } = deployment.metadata;
    const kept = { metadata: { namespace, name, resourceVersion }, spec } as Desired<Deployment>;
    await this.#client.apply(Deployment, kept, { fieldManager: HANDOVER });
  }
}

/** Field manager of `replicas` while an autoscaler is enabled. */
const HANDOVER = "app-operator-handover";

/** Registers the controller and the kinds that it watches. */
export function setupAppServiceController(manager: Manager): void {
  // Whichever of this operator's kinds they belong to: all share one cache.
  manager.cache.keepOnly(Pod, { labels: "app.kubernetes.io/managed-by=app-operator" });
  manager
    .controllerFor(AppService)
    .named("appservice")
    .owns(ConfigMap)
    .owns(Deployment)
    .owns(Service)
    .owns(Ingress)
    .owns(HorizontalPodAutoscaler)
    .owns(PodDisruptionBudget)
    .watches(Pod, ({ metadata: { namespace, labels = {} } }) => {
      const name = labels["app.kubernetes.io/instance"];
      const isOurs = labels["app.kubernetes.io/name"] === "appservice";
      return name && isOurs ? [{ namespace, name }] : [];
    })
    .complete(new AppServiceReconciler(manager));
}
