import { type Desired, shortName, type Stored } from "@tsbuilder/runtime";
import type { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import type { ConfigMap, Service } from "@tsbuilder/runtime/k8s/core/v1";
import type { Cart } from "../../api/v1/cart_types.ts";

const INSTANCE = "app.kubernetes.io/instance";

/** The name of what a Cart owns. A label has 63 characters, and StatefulSets and CronJobs add up to 11 to theirs. */
export function nameOf({ metadata }: Stored<Cart>): string {
  return shortName(metadata.name, 52);
}

/** The labels of what a Cart owns; they never change, because selectors are immutable. */
function labelsOf(cart: Stored<Cart>): Record<string, string> {
  return { "app.kubernetes.io/name": "cart", [INSTANCE]: nameOf(cart) };
}

/** The Deployment. */
export function deploymentFor(cart: Stored<Cart>): Desired<Deployment> {
  const labels = labelsOf(cart);
  return {
    metadata: { labels },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: "main", image: "nginx:1.29" }] },
      },
    },
  };
}

/** The Service. */
export function serviceFor(cart: Stored<Cart>): Desired<Service> {
  const labels = labelsOf(cart);
  return {
    metadata: { labels },
    spec: { selector: labels, ports: [{ port: 80 }] },
  };
}

/** The ConfigMap. */
export function configMapFor(cart: Stored<Cart>): Desired<ConfigMap> {
  const labels = labelsOf(cart);
  return {
    metadata: { labels },
    data: {},
  };
}
