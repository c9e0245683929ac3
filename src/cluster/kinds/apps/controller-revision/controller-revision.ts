import type { BuiltInKind } from "../../built-in-kind.ts";
import { count, readField } from "../../cells/read-field.ts";

export const controllerRevision: BuiltInKind = {
  resource: "controllerrevisions.apps",
  cells: {
    Controller: (object) => {
      const owners = readField<
        Array<{ apiVersion: string; kind: string; name: string; controller?: boolean }>
      >(object, "metadata.ownerReferences");
      const owner = owners?.find(({ controller }) => controller);
      if (!owner) return "<none>";
      const group = owner.apiVersion.includes("/") ? `.${owner.apiVersion.split("/")[0]}` : "";
      return `${owner.kind.toLowerCase()}${group}/${owner.name}`;
    },
    Revision: count("revision"),
  },
};
