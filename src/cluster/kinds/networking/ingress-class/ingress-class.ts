import type { IngressClassParametersReference } from "@tsbuilder/apimachinery/k8s/networking/v1";
import type { Strategy } from "../../../registry/resource.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { readField, text } from "../../cells/read-field.ts";
import { type Fields, fillIn } from "../../fill-in.ts";

const ingressClassStrategy: Partial<Strategy> = {
  default: (object) =>
    fillIn((object["spec"] as Fields | undefined)?.["parameters"], () => ({ scope: "Cluster" })),
};

export const ingressClass: BuiltInKind = {
  resource: "ingressclasses.networking.k8s.io",
  strategy: ingressClassStrategy,
  cells: {
    Controller: text("spec.controller"),
    Parameters: (object) => {
      const parameters = readField<IngressClassParametersReference>(object, "spec.parameters");
      if (!parameters) return "<none>";
      const { apiGroup, kind, name } = parameters;
      return `${kind}${apiGroup ? `.${apiGroup}` : ""}/${name}`;
    },
  },
  emptyObject: { spec: {} },
};
