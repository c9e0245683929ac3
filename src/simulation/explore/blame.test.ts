import { expect, test } from "vitest";
import { runOf } from "../../../e2e/support/simulation/simulated-run.ts";
import { shopScenario } from "../../../e2e/support/simulation/simulated-shop.ts";
import type { Moment } from "../world/witness.ts";
import { blame } from "./blame.ts";

test("the call that made what is left is named, although a stand-in and its URLs call it otherwise", () => {
  const put = (at: number, topic: string): Moment => ({
    event: {
      type: "call",
      at,
      process: "shop-0",
      to: "reports",
      text: `PUT https://reports.example.com/topics/${topic}`,
      status: 200,
      isChange: true,
    },
    site: [`src/controller/${topic}.ts:1:1`],
  });
  const finding = {
    class: "leftover",
    message: "",
    lines: [],
    objects: ["entry.external reports/:topics:gamma"],
    scenario: shopScenario(),
    run: runOf([]),
    compared: undefined,
    reference: undefined,
    differences: [],
  } as const;
  const [line, ...others] = blame(
    finding,
    [put(285, "beta"), put(500, "gamma"), put(900, "gamma")],
    undefined,
  );
  expect(line).toMatch(/^src\/controller\/gamma\.ts:1:1 .*, at 0\.500 s$/);
  expect(others).toEqual([]);
});
