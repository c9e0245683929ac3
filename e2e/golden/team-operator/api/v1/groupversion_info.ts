/*
 * Copyright The platform team.
 * All rights reserved.
 */

import type { GroupVersion } from "@tsbuilder/runtime";

/** The API group and version of the kinds in this folder. */
export const groupVersion: GroupVersion = {
  group: "team.example.com",
  version: "v1",
};
