/*
 * Copyright The platform team.
 * All rights reserved.
 */

import { exploreProject } from "@tsbuilder/simulation";
import { test } from "vitest";
import { Workspace } from "../../api/v1/workspace_types.ts";
import { setupWorkspaceController } from "./workspace_controller.ts";

// Users change objects, processes die, watches break, answers are lost: the seed decides when. It takes a moment;
// npx tsbuilder test --explore --time 10m looks for longer. Once there is a release, some runs begin with it.
test("whatever happens to it, the operator comes to the same end", { timeout: 0 }, () =>
  exploreProject({
    kind: Workspace,
    setup: setupWorkspaceController,
    former: async (release) => {
      const file = `${release}/src/controller/workspace_controller.ts`;
      const { setupWorkspaceController: setup } = await import(file);
      return { setup };
    },
  }),
);
