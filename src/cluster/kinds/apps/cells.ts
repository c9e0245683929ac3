import type { Container } from "@tsbuilder/apimachinery/k8s/core/v1";
import type { CellReader } from "../../registry/table-columns.ts";
import { formatSelector } from "../cells/format-selector.ts";
import { count, readField } from "../cells/read-field.ts";

export function containersAt(path: string): Record<string, CellReader> {
  const containers = (object: object) => readField<Container[]>(object, `${path}.containers`) ?? [];
  return {
    Containers: (object) =>
      containers(object)
        .map(({ name }) => name)
        .join(","),
    Images: (object) =>
      containers(object)
        .map(({ image = "" }) => image)
        .join(","),
  };
}

export const selector: CellReader = (object) => formatSelector(readField(object, "spec.selector"));

export const templateContainers = containersAt("spec.template.spec");

export const replicas: Readonly<Record<string, CellReader>> = {
  Desired: count("spec.replicas"),
  Current: count("status.replicas"),
  Ready: count("status.readyReplicas"),
  ...templateContainers,
  Selector: selector,
};

export const ready: CellReader = (object) =>
  `${count("status.readyReplicas")(object)}/${count("spec.replicas")(object)}`;
