import type { ApiObject } from "../../../contract/api-object.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { text } from "../../cells/read-field.ts";
import { eachOf, type Fields, fillIn } from "../../fill-in.ts";
import { type ResourceSlice, sliceProblems } from "./rules.ts";

/** Devices that take from a node's own resources are behind a feature gate that is off by default. */
function dropMappings(object: ApiObject): void {
  for (const device of eachOf(object["spec"], "devices")) delete device["nodeAllocatableResourceMappings"];
}

export const resourceSlice: BuiltInKind = {
  resource: "resourceslices.resource.k8s.io",
  strategy: {
    returnsDeleted: true,
    default: (object) => fillIn((object["spec"] as Fields | undefined)?.["pool"], () => ({ generation: 0 })),
    prepareForCreate: dropMappings,
    prepareForUpdate: dropMappings,
    validate: (object) => [...sliceProblems(object)],
    validateUpdate: (object, old) => [...sliceProblems(object, old)],
    warnings: (object) => {
      const driver = (object as ResourceSlice).spec?.driver ?? "";
      if (driver === driver.toLowerCase()) return [];
      const shown = JSON.stringify(driver);
      return [`spec.driver: driver names should be lowercase; ${shown} contains uppercase characters`];
    },
  },
  cells: { Node: text("spec.nodeName"), Driver: text("spec.driver"), Pool: text("spec.pool.name") },
  emptyObject: { spec: { pool: { generation: 0 } } },
  zeroValues: { spec: { driver: "", pool: { name: "", resourceSliceCount: 0 } } },
};
