/*
 * Copyright The platform team.
 * All rights reserved.
 */

import { admissionContext } from "@tsbuilder/runtime/testing";
import { expect, test } from "vitest";
import type { Workspace } from "../../../api/v1/workspace_types.ts";
import { WorkspaceDefaulter } from "./workspace_defaulter.ts";

const workspace: Workspace = {
  apiVersion: "team.example.com/v1",
  kind: "Workspace",
  metadata: { name: "test" },
  spec: {},
};

test("Workspace objects with all fields set are not changed", () => {
  const draft = structuredClone(workspace);
  new WorkspaceDefaulter().default(draft, admissionContext());
  expect(draft).toEqual(workspace);
});
