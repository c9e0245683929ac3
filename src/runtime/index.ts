export type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
