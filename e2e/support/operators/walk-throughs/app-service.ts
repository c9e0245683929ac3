import { isDeepStrictEqual } from "node:util";
import {
  type Client,
  type Desired,
  type Manager,
  type NamespacedName,
  ownerReferenceTo,
  type Reconciler,
} from "@tsbuilder/runtime";
import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { Service } from "@tsbuilder/runtime/k8s/core/v1";
import { AppService } from "../../../golden/app-operator/api/v1/appservice_types.ts";

/** The annotation in which the walk-through keeps the spec that it applied last. */
export const specAnnotation = "spec";

/**
 * The reconciler of the AppService walk-through, step by step: it watches only its own kind, creates Deployment and
 * Service when the Deployment is missing, and then trusts a copy of the spec in an annotation of the app.
 */
class WalkThroughReconciler implements Reconciler {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async reconcile(request: NamespacedName): Promise<void> {
    const app = await this.#client.find(AppService, request);
    if (!app || app.metadata.deletionTimestamp) return;
    const deployment = await this.#client.find(Deployment, request);
    if (!deployment) {
      await this.#client.create(Deployment, deploymentOf(app));
      await this.#client.create(Service, serviceOf(app));
      await this.#remember(app);
      return;
    }
    const old: unknown = JSON.parse(app.metadata.annotations?.[specAnnotation] ?? "");
    if (isDeepStrictEqual(old, structuredClone(app.spec))) return;
    await this.#client.update(Deployment, { ...deployment, spec: (deploymentOf(app) as Deployment).spec! });
    const service = await this.#client.get(Service, request);
    const spec = { ...(serviceOf(app) as Service).spec!, clusterIP: service.spec!.clusterIP! };
    await this.#client.update(Service, { ...service, spec });
    await this.#remember(app);
  }

  async #remember(app: AppService): Promise<void> {
    const annotations = { ...app.metadata.annotations, [specAnnotation]: JSON.stringify(app.spec) };
    await this.#client.update(AppService, { ...app, metadata: { ...app.metadata, annotations } });
  }
}

/** Watches the apps, but not their children. */
export function setupWalkThroughAppService(manager: Manager): void {
  const reconciler = new WalkThroughReconciler(manager.client);
  manager.controllerFor(AppService).named("walk-through").complete(reconciler);
}

function deploymentOf(app: AppService): Desired<Deployment> {
  const { replicas, image, resources, envs, ports = [] } = app.spec;
  const labels = { app: app.metadata.name! };
  const containers = [
    {
      name: app.metadata.name!,
      image,
      resources,
      ports: ports.map(({ targetPort }) => ({ containerPort: Number(targetPort) })),
      env: envs,
      imagePullPolicy: "IfNotPresent" as const,
    },
  ];
  const template = { metadata: { labels }, spec: { containers } };
  return { metadata: metadataOf(app), spec: { replicas, selector: { matchLabels: labels }, template } };
}

function serviceOf(app: AppService): Desired<Service> {
  const spec = { type: "NodePort" as const, ports: app.spec.ports, selector: { app: app.metadata.name! } };
  return { metadata: metadataOf(app), spec };
}

function metadataOf(app: AppService): Desired<Deployment>["metadata"] {
  const { name, namespace } = app.metadata;
  return { name: name!, namespace, ownerReferences: [ownerReferenceTo(app)] };
}
