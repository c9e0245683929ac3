import { exploreProject } from "@tsbuilder/simulation";
import { test } from "vitest";
import { Invoice } from "../../api/v1/invoice_types.ts";
import { setupInvoiceController } from "./invoice_controller.ts";

// Users change objects, processes die, watches break, answers are lost: the seed decides when. It takes a moment;
// npx tsbuilder test --explore --time 10m looks for longer. Once there is a release, some runs begin with it.
test("whatever happens to it, the operator comes to the same end", { timeout: 0 }, () =>
  exploreProject({
    kind: Invoice,
    setup: setupInvoiceController,
    former: async (release) => {
      const file = `${release}/src/controller/invoice_controller.ts`;
      const { setupInvoiceController: setup } = await import(file);
      return { setup };
    },
  }),
);
