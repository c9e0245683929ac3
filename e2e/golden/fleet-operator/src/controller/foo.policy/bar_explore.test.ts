/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { exploreProject } from "@tsbuilder/simulation";
import { test } from "vitest";
import { Bar } from "../../../api/foo.policy/v1/bar_types.ts";
import { setupBarController } from "./bar_controller.ts";

// Users change objects, processes die, watches break, answers are lost: the seed decides when. It takes a moment;
// npx tsbuilder test --explore --time 10m looks for longer. Once there is a release, some runs begin with it.
test("whatever happens to it, the operator comes to the same end", { timeout: 0 }, () =>
  exploreProject({
    kind: Bar,
    setup: setupBarController,
    former: async (release) => {
      const file = `${release}/src/controller/foo.policy/bar_controller.ts`;
      const { setupBarController: setup } = await import(file);
      return { setup };
    },
  }),
);
