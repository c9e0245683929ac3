import {
  type Client,
  type Context,
  type Desired,
  type Manager,
  type NamespacedName,
  ownerReferenceTo,
  type Reconciler,
  type Result,
} from "@tsbuilder/runtime";
import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { Secret } from "@tsbuilder/runtime/k8s/core/v1";
import { Maria } from "../../../golden/maria-operator/api/v1/maria_types.ts";

/** The walk-through requeues at once after each step. */
const again = { requeueAfter: "1ms" } as const;

/**
 * The reconciler of the MySQL walk-through, step by step: it creates a Secret and a Deployment once, later compares
 * only the number of replicas, and writes the status in every reconcile.
 */
class WalkThroughReconciler implements Reconciler {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async reconcile(request: NamespacedName, { log }: Context): Promise<Result> {
    const mysql = await this.#client.find(Maria, request);
    if (!mysql) {
      log.info("MySQL resource not found. Ignoring since object must be deleted");
      return;
    }
    if (!(await this.#client.find(Secret, request, { live: true }))) {
      log.info("Creating a new Secret for MySQL");
      await this.#client.create(Secret, secretOf(mysql));
      return again;
    }
    const deployment = await this.#client.find(Deployment, request);
    if (!deployment) {
      log.info("Creating a new Deployment for MySQL");
      await this.#client.create(Deployment, deploymentOf(mysql));
      return again;
    }
    if (deployment.spec?.replicas !== mysql.spec.size) {
      const spec = { ...deployment.spec!, replicas: mysql.spec.size! };
      await this.#client.update(Deployment, { ...deployment, spec });
      return again;
    }
    const readyReplicas = deployment.status?.readyReplicas ?? 0;
    await this.#client.updateStatus(Maria, { ...mysql, status: { ...mysql.status, readyReplicas } });
    return;
  }
}

/** Watches the databases and their Deployments. */
export function setupWalkThroughMySQL(manager: Manager): void {
  const reconciler = new WalkThroughReconciler(manager.client);
  manager.controllerFor(Maria).named("walk-through").owns(Deployment).complete(reconciler);
}

function secretOf({ metadata: { name, namespace }, spec }: Maria): Desired<Secret> {
  const stringData = { MYSQL_ROOT_PASSWORD: spec.password ?? "", MYSQL_USER: spec.username ?? "" };
  return { metadata: { name: name!, namespace }, stringData };
}

function deploymentOf(mysql: Maria): Desired<Deployment> {
  const { name, namespace } = mysql.metadata;
  const labels = { app: "mysql", mysql_cr: name! };
  const password = { secretKeyRef: { name: name!, key: "MYSQL_ROOT_PASSWORD" } };
  const containers = [
    {
      name: "mysql",
      image: "mysql:5.7",
      env: [{ name: "MYSQL_ROOT_PASSWORD", valueFrom: password }],
      ports: [{ name: "mysql", containerPort: 3306 }],
    },
  ];
  const template = { metadata: { labels }, spec: { containers } };
  return {
    metadata: { name: name!, namespace, ownerReferences: [ownerReferenceTo(mysql)] },
    spec: { replicas: mysql.spec.size, selector: { matchLabels: labels }, template },
  };
}
