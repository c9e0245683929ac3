/*
 * SPDX-License-Identifier: Apache-2.0
 */

import type { GroupVersion } from "@tsbuilder/runtime";

/** The API group and version of the kinds in this folder. */
export const groupVersion: GroupVersion = {
  group: "data.example.com",
  version: "v1",
};
