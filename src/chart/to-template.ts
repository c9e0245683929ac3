import { isCrd, type ManifestObject } from "../ship/manifest.ts";
import { lines } from "./actions.ts";
import { accountName } from "./chart-names.ts";

type Json = unknown;
type Fields = Readonly<Record<string, Json>>;

const nameLabel = "app.kubernetes.io/name";
const managedBy = "app.kubernetes.io/managed-by";

/** Sets the release's names and labels in an object; CRDs keep theirs, since they are cluster-wide. */
export function toTemplate(
  object: ManifestObject,
  project: string,
  rename: (text: string) => string,
): ManifestObject {
  if (isCrd(object)) return definition(object as ManifestObject & { readonly spec: Fields });
  const done = walk(object) as ManifestObject;
  const own = without((object.metadata["labels"] ?? {}) as Fields, [nameLabel, managedBy]);
  return {
    ...done,
    metadata: { ...done.metadata, labels: { [labelLines(project, "labels")]: null, ...own } },
  };

  function walk(value: Json, key = ""): Json {
    if (typeof value === "string") return key === "serviceAccountName" ? accountName(project) : rename(value);
    if (Array.isArray(value)) return value.map((item) => walk(item));
    if (typeof value !== "object" || value === null) return value;
    const fields = value as Fields;
    if (fields["kind"] === "ServiceAccount" && "name" in fields) return account(fields);
    const entries = Object.entries(fields).map(([name, field]) => [name, walk(field, name)] as const);
    const plain = Object.fromEntries(entries);
    if (fields[nameLabel] !== project) return plain;
    // Selectors are immutable, so pods and selectors have no label with the chart's version.
    return { [labelLines(project, "selectorLabels")]: null, ...without(plain, [nameLabel, managedBy]) };
  }

  /** Schemas are long and contain none of the deployment's names. */
  function definition({ spec, ...crd }: ManifestObject & { readonly spec: Fields }): ManifestObject {
    const { versions, ...others } = spec;
    return { ...(walk(crd) as ManifestObject), spec: { ...(walk(others) as Fields), versions } };
  }

  function account(subject: Fields): Json {
    const namespace = subject["namespace"];
    return {
      ...subject,
      name: accountName(project),
      ...(typeof namespace === "string" ? { namespace: rename(namespace) } : {}),
    };
  }
}

function labelLines(chart: string, which: "labels" | "selectorLabels"): string {
  return lines(`{{- include "${chart}.${which}" . | nindent <indent> }}`);
}

function without(fields: Fields, names: readonly string[]): Record<string, Json> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}
