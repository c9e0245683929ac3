import { exploreProject } from "@tsbuilder/simulation";
import { test } from "vitest";
import { Cart } from "../../api/v1/cart_types.ts";
import { setupCartController } from "./cart_controller.ts";

// Users change objects, processes die, watches break, answers are lost: the seed decides when. It takes a moment;
// npx tsbuilder test --explore --time 10m looks for longer. Once there is a release, some runs begin with it.
test("whatever happens to it, the operator comes to the same end", { timeout: 0 }, () =>
  exploreProject({
    kind: Cart,
    setup: setupCartController,
    former: async (release) => {
      const file = `${release}/src/controller/cart_controller.ts`;
      const { setupCartController: setup } = await import(file);
      return { setup };
    },
  }),
);
