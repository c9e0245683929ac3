import { type CustomResource, defineKind } from "@tsbuilder/apimachinery/meta";

/** A kind for tests of clients and caches. */
export interface Widget extends CustomResource<
  { size?: number; color?: string; parts?: string[] },
  { ready?: number; note?: string }
> {}
export const Widget = defineKind<Widget>(
  { group: "example.com", version: "v1" },
  { kind: "Widget", plural: "widgets" },
);
export const Namespace = defineKind(
  { group: "", version: "v1" },
  { kind: "Namespace", plural: "namespaces", scope: "Cluster" },
);

export const widgetDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { kind: "Widget", listKind: "WidgetList", plural: "widgets", singular: "widget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.ready" },
        },
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};
