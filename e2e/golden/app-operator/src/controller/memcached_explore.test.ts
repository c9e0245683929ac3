/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { exploreProject } from "@tsbuilder/simulation";
import { test } from "vitest";
import { Memcached } from "../../api/v1/memcached_types.ts";
import { setupMemcachedController } from "./memcached_controller.ts";

// Users change objects, processes die, watches break, answers are lost: the seed decides when. It takes a moment;
// npx tsbuilder test --explore --time 10m looks for longer. Once there is a release, some runs begin with it.
test("whatever happens to it, the operator comes to the same end", { timeout: 0 }, () =>
  exploreProject({
    kind: Memcached,
    setup: setupMemcachedController,
    former: async (release) => {
      const file = `${release}/src/controller/memcached_controller.ts`;
      const { setupMemcachedController: setup } = await import(file);
      return { setup };
    },
  }),
);
