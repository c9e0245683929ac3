import type { GroupVersion } from "@tsbuilder/runtime";

/** The API group and version of the kinds in this folder. */
export const groupVersion: GroupVersion = {
  group: "shop.example.com",
  version: "v2",
};
