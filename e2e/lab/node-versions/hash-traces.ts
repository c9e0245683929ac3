import { createHash } from "node:crypto";
import { Random, simulate } from "@tsbuilder/simulation";
import { drawFaults } from "../../../src/simulation/explore/draw-faults.ts";
import { applyShop, shopScenario } from "../../support/simulation/simulated-shop.ts";

/** Prints a line for each disturbed run, for as many seeds as the argument says: the hash of its trace. */
const given = applyShop("c", { size: 4 });
const scenario = { ...shopScenario(), objects: given.do === "apply" ? [given.object] : [] };
const plain = await simulate(scenario);
for (let seed = 0; seed < Number(process.argv[2]); seed++) {
  const faults = drawFaults(new Random(seed), plain);
  const { trace } = await simulate({ ...scenario, seed, faults });
  console.log(createHash("sha256").update(JSON.stringify(trace)).digest("hex"));
}
