import type { ServiceAccount } from "@tsbuilder/apimachinery/k8s/core/v1";
import type { ApiObject } from "../../contract/api-object.ts";
import type { BuiltInKind } from "../built-in-kind.ts";
import { type Namespace, configMaps, namespaces, serviceAccounts } from "../../control-loop/api/core.ts";
import type { ClusterObjects } from "../../contract/cluster-objects.ts";
import { type Controller, type ControllerContext, userOf } from "../../control-loop/controller.ts";
import { findByKey } from "../../control-loop/keys.ts";

const mountableSecretsAnnotation = "kubernetes.io/enforce-mountable-secrets";

export const serviceAccount: BuiltInKind<"serviceaccount"> = {
  resource: "serviceaccounts",
  metadataChecks: { update: ["update", "new"] },
  strategy: {
    returnsDeleted: true,
    mayLackKeys: true,
    prepareForCreate: keepSecretNames,
    prepareForUpdate: keepSecretNames,
    *warnings({ metadata }, old) {
      if (metadata.annotations?.[mountableSecretsAnnotation] === undefined) return;
      if (old?.metadata.annotations?.[mountableSecretsAnnotation] !== undefined) return;
      yield `metadata.annotations[${mountableSecretsAnnotation}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`;
    },
  },
  cells: {},
  controllers: { serviceaccount: serviceAccountController },
};

/** An account lists Secrets as object references, but the server keeps only their names. */
function keepSecretNames(object: ApiObject): void {
  const { secrets } = object as ServiceAccount;
  if (secrets) object["secrets"] = secrets.map(({ name }) => (name ? { name } : {}));
}

const user = userOf("service-account");
const rootCertificate = "kube-root-ca.crt";

/** Creates the ServiceAccount `default` and the ConfigMap with the CA certificate in every namespace. */
function serviceAccountController({ objects, caCertificate = "" }: ControllerContext): Controller {
  return {
    watches: [namespaces, serviceAccounts, configMaps],

    keysOf({ resource, object }) {
      if (resource === namespaces) return [`/${object.metadata.name}`];
      const isOurs = object.metadata.name === (resource === configMaps ? rootCertificate : "default");
      return isOurs ? [`/${object.metadata.namespace}`] : [];
    },

    async reconcile(key) {
      const namespace = findByKey(objects, namespaces, key);
      if (!namespace || namespace.metadata.deletionTimestamp) return undefined;
      await ensureDefaultAccount(objects, namespace.metadata.name!);
      await ensureCertificate(namespace);
      return undefined;
    },
  };

  async function ensureCertificate({ metadata }: Namespace): Promise<void> {
    const namespace = metadata.name!;
    const data = { "ca.crt": caCertificate };
    const current = objects.get(configMaps, namespace, rootCertificate);
    if (!current) {
      await objects.create(user, {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: rootCertificate, namespace },
        data,
      });
    } else if (current.data?.["ca.crt"] !== caCertificate) {
      await objects.update(user, { ...current, data });
    }
  }
}

/** Creates the ServiceAccount `default` of a namespace unless it exists. */
export async function ensureDefaultAccount(objects: ClusterObjects, namespace: string): Promise<void> {
  if (objects.get(serviceAccounts, namespace, "default")) return;
  await objects.create(user, {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "default", namespace },
  });
}
