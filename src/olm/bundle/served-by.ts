import type { DeploymentSpec } from "@tsbuilder/apimachinery/k8s/apps/v1";
import type { ServicePort, ServiceSpec } from "@tsbuilder/apimachinery/k8s/core/v1";
import type { ManifestObject } from "../../ship/manifest.ts";

export type Deployment = ManifestObject & { readonly spec: DeploymentSpec };
export type Service = ManifestObject & { readonly spec: ServiceSpec };

/** A reference of a webhook to the Service in front of it. */
export interface ServiceReference {
  readonly name: string;
  readonly namespace?: string;
  readonly port?: number;
  readonly path?: string;
}

/** A Service, one of its ports, and the Deployment behind it. */
export interface Served {
  readonly service: Service;
  readonly port: ServicePort;
  readonly deployment: Deployment;
}

export function isService(object: ManifestObject): object is Service {
  return object.kind === "Service" && object.apiVersion === "v1";
}

export function isDeployment(object: ManifestObject): object is Deployment {
  return object.kind === "Deployment" && object.apiVersion.startsWith("apps/");
}

/** Finds a Service and the Deployment that answers its requests among the objects. */
export function findServed(
  objects: readonly ManifestObject[],
  { name, namespace, port: number = 443 }: ServiceReference,
): Served | undefined {
  const service = objects
    .filter(isService)
    .find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
  const port = service?.spec.ports?.find((each) => each.port === number);
  const deployment = service && objects.filter(isDeployment).find((each) => selects(service, each));
  return service && port && deployment ? { service, port, deployment } : undefined;
}

function selects({ spec, metadata }: Service, deployment: Deployment): boolean {
  const labels = deployment.spec.template.metadata?.labels ?? {};
  const wanted = Object.entries(spec.selector ?? {});
  const isSameNamespace = metadata.namespace === deployment.metadata.namespace;
  return isSameNamespace && wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value);
}
