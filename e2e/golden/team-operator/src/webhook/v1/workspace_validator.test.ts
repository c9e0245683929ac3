/*
 * Copyright The platform team.
 * All rights reserved.
 */

import { admissionContext } from "@tsbuilder/runtime/testing";
import { expect, test } from "vitest";
import type { Workspace } from "../../../api/v1/workspace_types.ts";
import { WorkspaceValidator } from "./workspace_validator.ts";

const workspace: Workspace = {
  apiVersion: "team.example.com/v1",
  kind: "Workspace",
  metadata: { name: "test" },
  spec: {},
};
const validator = new WorkspaceValidator();

test("a valid Workspace is accepted", () => {
  expect(validator.validateCreate(workspace, admissionContext())).toEqual([]);
});

test("a valid change is accepted", () => {
  expect(validator.validateUpdate(workspace, workspace, admissionContext())).toEqual([]);
});
