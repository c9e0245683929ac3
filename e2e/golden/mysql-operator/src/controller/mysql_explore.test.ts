/*
 * Copyright The MySQL operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */

import { exploreProject } from "@tsbuilder/simulation";
import { test } from "vitest";
import { MySQL } from "../../api/v1/mysql_types.ts";
import { setupMySQLController } from "./mysql_controller.ts";

// Users change objects, processes die, watches break, answers are lost: the seed decides when. It takes a moment;
// npx tsbuilder test --explore --time 10m looks for longer. Once there is a release, some runs begin with it.
test("whatever happens to it, the operator comes to the same end", { timeout: 0 }, () =>
  exploreProject({
    kind: MySQL,
    setup: setupMySQLController,
    former: async (release) => {
      const file = `${release}/src/controller/mysql_controller.ts`;
      const { setupMySQLController: setup } = await import(file);
      return { setup };
    },
  }),
);
