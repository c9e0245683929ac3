import type { ServiceAccount } from "@tsbuilder/apimachinery/k8s/core/v1";
import type { ApiObject } from "../../../contract/api-object.ts";
import type { Strategy } from "../../../registry/resource.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { serviceAccountController } from "./controller/service-account-controller.ts";

const limitsSecrets = "kubernetes.io/enforce-mountable-secrets";

const serviceAccountStrategy: Partial<Strategy> = {
  returnsDeleted: true,
  mayLackKeys: true,
  prepareForCreate: keepSecretNames,
  prepareForUpdate: keepSecretNames,
  *warnings({ metadata }, old) {
    if (metadata.annotations?.[limitsSecrets] === undefined) return;
    if (old?.metadata.annotations?.[limitsSecrets] !== undefined) return;
    yield `metadata.annotations[${limitsSecrets}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`;
  },
};

/** Of the Secrets that an account lists only the names count. */
function keepSecretNames(object: ApiObject): void {
  const { secrets } = object as ServiceAccount;
  if (secrets) object["secrets"] = secrets.map(({ name }) => (name ? { name } : {}));
}

export const serviceAccount: BuiltInKind<"serviceaccount"> = {
  resource: "serviceaccounts",
  metadataChecks: "new/update+new/update",
  strategy: serviceAccountStrategy,
  cells: {},
  controllers: { serviceaccount: serviceAccountController },
};
