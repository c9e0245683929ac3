/*
 * Copyright The platform team.
 * All rights reserved.
 */

import { exploreProject } from "@tsbuilder/simulation";
import { test } from "vitest";
import { Tenant } from "../../api/v1/tenant_types.ts";
import { setupTenantController } from "./tenant_controller.ts";

// Users change objects, processes die, watches break, answers are lost: the seed decides when. It takes a moment;
// npx tsbuilder test --explore --time 10m looks for longer. Once there is a release, some runs begin with it.
test("whatever happens to it, the operator comes to the same end", { timeout: 0 }, () =>
  exploreProject({
    kind: Tenant,
    setup: setupTenantController,
    former: async (release) => {
      const file = `${release}/src/controller/tenant_controller.ts`;
      const { setupTenantController: setup } = await import(file);
      return { setup };
    },
  }),
);
