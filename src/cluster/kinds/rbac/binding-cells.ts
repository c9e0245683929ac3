import type { Subject } from "@tsbuilder/apimachinery/k8s/rbac/v1";
import type { CellReader } from "../../registry/table-columns.ts";
import { readField, text } from "../cells/read-field.ts";

function subjects(kind: string): CellReader {
  return (object) =>
    (readField<Subject[]>(object, "subjects") ?? [])
      .filter((subject) => subject.kind === kind)
      .map(({ name, namespace }) => (kind === "ServiceAccount" ? `${namespace ?? ""}/${name}` : name))
      .join(", ");
}

export const binding: Readonly<Record<string, CellReader>> = {
  Role: (object) => `${text("roleRef.kind")(object)}/${text("roleRef.name")(object)}`,
  Users: subjects("User"),
  Groups: subjects("Group"),
  ServiceAccounts: subjects("ServiceAccount"),
};
