/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { exploreProject } from "@tsbuilder/simulation";
import { test } from "vitest";
import { AppService } from "../../api/v1/appservice_types.ts";
import { setupAppServiceController } from "./appservice_controller.ts";

// Users change objects, processes die, watches break, answers are lost: the seed decides when. It takes a moment;
// npx tsbuilder test --explore --time 10m looks for longer. Once there is a release, some runs begin with it.
test("whatever happens to it, the operator comes to the same end", { timeout: 0 }, () =>
  exploreProject({
    kind: AppService,
    setup: setupAppServiceController,
    former: async (release) => {
      const file = `${release}/src/controller/appservice_controller.ts`;
      const { setupAppServiceController: setup } = await import(file);
      return { setup };
    },
  }),
);
