import { exploreProject } from "@tsbuilder/simulation";
import { test } from "vitest";
import { Order } from "../../api/v1/order_types.ts";
import { setupOrderController } from "./order_controller.ts";

// Users change objects, processes die, watches break, answers are lost: the seed decides when. It takes a moment;
// npx tsbuilder test --explore --time 10m looks for longer. Once there is a release, some runs begin with it.
test("whatever happens to it, the operator comes to the same end", { timeout: 0 }, () =>
  exploreProject({
    kind: Order,
    setup: setupOrderController,
    former: async (release) => {
      const file = `${release}/src/controller/order_controller.ts`;
      const { setupOrderController: setup } = await import(file);
      return { setup };
    },
  }),
);
