import type { LoadBalancerIngress } from "@tsbuilder/apimachinery/k8s/core/v1";
import type { ServicePort } from "@tsbuilder/apimachinery/k8s/core/v1";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { formatSelector } from "../../cells/format-selector.ts";
import { readField, text } from "../../cells/read-field.ts";
import { serviceStrategy } from "./strategy.ts";

function externalIP(object: object): string {
  const type = readField<string>(object, "spec.type");
  if (type === "ExternalName") return text("spec.externalName")(object);
  const external = readField<string[]>(object, "spec.externalIPs") ?? [];
  if (type !== "LoadBalancer") return external.length > 0 ? external.join(",") : "<none>";
  const ingress = readField<LoadBalancerIngress[]>(object, "status.loadBalancer.ingress") ?? [];
  const found = [...ingress.map(({ ip, hostname }) => ip ?? hostname ?? ""), ...external];
  return found.length > 0 ? found.join(",") : "<pending>";
}

function ports(object: object): string {
  const list = readField<ServicePort[]>(object, "spec.ports") ?? [];
  if (list.length === 0) return "<none>";
  return list
    .map(({ port, nodePort, protocol = "TCP" }) => `${port}${nodePort ? `:${nodePort}` : ""}/${protocol}`)
    .join(",");
}

export const service: BuiltInKind = {
  resource: "services",
  strategy: (store) => ({ ...serviceStrategy(store), statusWritesMetadata: true, returnsDeleted: true }),
  cells: {
    Type: text("spec.type"),
    "Cluster-IP": text("spec.clusterIP", "<none>"),
    "External-IP": externalIP,
    "Port(s)": ports,
    Selector: (object) => formatSelector({ matchLabels: readField(object, "spec.selector") ?? {} }),
  },
  emptyObject: { spec: {}, status: { loadBalancer: {} } },
};
