import { invalid } from "@tsbuilder/apimachinery/errors";
import type { DeviceClassSpec } from "@tsbuilder/apimachinery/k8s/resource/v1";
import type { ApiObject } from "../../../contract/api-object.ts";
import type { Sent } from "../../../contract/sent.ts";
import { declaredSubdomainName } from "../../../registry/validate-name.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import type { Problems } from "../../checks/problems.ts";
import { isExtended } from "../../core/resource-names.ts";
import { configProblems, listProblems, selectorProblems } from "../claim-rules.ts";

type DeviceClass = ApiObject & { spec?: Sent<DeviceClassSpec> };

const mostConfigs = 32;

function* classProblems({ spec = {} }: DeviceClass): Problems {
  const { selectors = [], config = [], extendedResourceName: name } = spec;
  yield* selectorProblems("spec.selectors", selectors);
  yield* listProblems("spec.config", config, mostConfigs, configProblems);
  if (name !== undefined && !isExtended(name)) {
    yield invalid("spec.extendedResourceName", name, "must be a valid extended resource name");
  }
}

export const deviceClass: BuiltInKind = {
  resource: "deviceclasses.resource.k8s.io",
  metadataChecks: "new/new+update/update",
  strategy: {
    returnsDeleted: true,
    validateName: declaredSubdomainName,
    validate: (object) => [...classProblems(object)],
    validateUpdate: (object) => [...classProblems(object)],
  },
  emptyObject: { spec: {} },
};
