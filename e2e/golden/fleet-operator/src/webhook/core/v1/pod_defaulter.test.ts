/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { admissionContext } from "@tsbuilder/runtime/testing";
import { expect, test } from "vitest";
import type { Pod } from "@tsbuilder/runtime/k8s/core/v1";
import { PodDefaulter } from "./pod_defaulter.ts";

const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "test" },
} as Pod;

test("Pod objects with all fields set are not changed", () => {
  const draft = structuredClone(pod);
  new PodDefaulter().default(draft, admissionContext());
  expect(draft).toEqual(pod);
});
