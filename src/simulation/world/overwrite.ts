import { isObject } from "@tsbuilder/apimachinery/json";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";

/** A merge patch as of somebody who overwrites what an operator wrote: data, labels, and a number of the spec. */
export function overwrite(
  child: KubernetesObject & { readonly data?: object; readonly spec?: unknown },
): object {
  const [key] = Object.keys(child.data ?? {});
  const { labels = {} } = child.metadata;
  const spec = changedSpec(child);
  return {
    metadata: { labels: Object.fromEntries(Object.keys(labels).map((name) => [name, "changed-by-hand"])) },
    ...(key !== undefined && { data: { [key]: "Y2hhbmdlZA==" } }),
    ...(spec !== undefined && { spec }),
  };
}

/** What nobody set is the API server's to fill in, or another controller's: an operator need not change it back. */
function changedSpec({ metadata, spec }: KubernetesObject & { readonly spec?: unknown }): object | undefined {
  const owned = (metadata.managedFields ?? []).filter(({ subresource }) => subresource === undefined);
  for (const { fieldsV1 } of owned) {
    const patch = withOneMore(spec, (fieldsV1 as { readonly "f:spec"?: unknown } | undefined)?.["f:spec"]);
    if (patch) return patch;
  }
  return undefined;
}

/** The first number among the fields, one higher. Items of lists stay as they are: a merge patch replaces whole lists. */
function withOneMore(value: unknown, fields: unknown): object | undefined {
  if (!isObject(value) || !isObject(fields)) return undefined;
  for (const [field, below] of Object.entries(fields)) {
    const name = field.startsWith("f:") ? field.slice(2) : "";
    const held = value[name];
    if (typeof held === "number") return { [name]: held + 1 };
    const patch = withOneMore(held, below);
    if (patch) return { [name]: patch };
  }
  return undefined;
}
