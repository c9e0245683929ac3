/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { admissionContext } from "@tsbuilder/runtime/testing";
import { expect, test } from "vitest";
import type { Bar } from "../../../../api/foo.policy/v1/bar_types.ts";
import { BarValidator } from "./bar_validator.ts";

const bar: Bar = {
  apiVersion: "foo.policy.example.com/v1",
  kind: "Bar",
  metadata: { name: "test" },
  spec: {},
};
const validator = new BarValidator();

test("a valid Bar is accepted", () => {
  expect(validator.validateCreate(bar, admissionContext())).toEqual([]);
});

test("a valid change is accepted", () => {
  expect(validator.validateUpdate(bar, bar, admissionContext())).toEqual([]);
});
