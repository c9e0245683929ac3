import { formatAge } from "@tsbuilder/apimachinery/text";
import type { PrinterColumn } from "@tsbuilder/apimachinery/crd";
import { isObject, readPath } from "@tsbuilder/apimachinery/json";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { type History, revisionAt } from "./history.ts";

/** A column of an own kind, as `kubectl get` shows it. */
export interface Column {
  readonly name: string;
  readonly isNumber: boolean;
  readonly cell: (object: KubernetesObject, now: number) => string;
}

/** Returns the columns that the CRD of a resource defines for a version, without the age. */
export function columnsOf(
  { tracks }: History,
  resource: string,
  apiVersion: string,
  moment: number,
): Column[] {
  const track = tracks.get(`customresourcedefinitions.apiextensions.k8s.io ${resource}`);
  const { spec } = (track && (revisionAt(track, moment)?.object as { readonly spec?: unknown })) ?? {};
  const versions: unknown = isObject(spec) ? spec["versions"] : [];
  const all = Array.isArray(versions) ? versions.filter(isObject) : [];
  const version = all.find(({ name }) => apiVersion.endsWith(`/${String(name)}`));
  const columns: unknown = version?.["additionalPrinterColumns"];
  return (Array.isArray(columns) ? columns : [])
    .filter(isColumn)
    .filter(({ priority = 0, jsonPath }) => priority === 0 && jsonPath !== ".metadata.creationTimestamp")
    .map(({ name, type, jsonPath }) => ({
      name,
      isNumber: type === "integer" || type === "number",
      cell: (object, now) =>
        readPath(object, jsonPath)
          .map((value) => (type === "date" ? formatAge(String(value), now) : textOf(value)))
          .join(","),
    }));
}

/** Returns true for a column with a name and a path: a CRD in a recording by somebody else was checked by nobody. */
function isColumn(value: unknown): value is PrinterColumn {
  return isObject(value) && typeof value["name"] === "string" && typeof value["jsonPath"] === "string";
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
