import { createHash } from "node:crypto";
import { Random, simulate } from "@tsbuilder/simulation";
import { drawFaults } from "../../src/simulation/explore/draw-faults.ts";
import { applyShop, shopScenario } from "../support/simulated-shop.ts";

/** Prints one hash of the traces of disturbed runs, for as many seeds as the argument says. */
const given = applyShop("c", { size: 4 });
const scenario = { ...shopScenario(), objects: given.do === "apply" ? [given.object] : [] };
const plain = await simulate(scenario);
const hash = createHash("sha256");
for (let seed = 0; seed < Number(process.argv[2]); seed++) {
  const faults = drawFaults(new Random(seed), plain);
  hash.update(JSON.stringify((await simulate({ ...scenario, seed, faults })).trace));
}
process.stdout.write(hash.digest("hex"));
