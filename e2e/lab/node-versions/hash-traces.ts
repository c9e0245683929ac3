import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Manager } from "@tsbuilder/runtime";
import { Random, type Run, type Scenario, simulate } from "@tsbuilder/simulation";
import { drawFaults } from "../../../src/simulation/explore/draw-faults.ts";
import { projectScenario } from "../../../src/simulation/project-scenario.ts";
import { simulateDisturbed } from "../../../src/simulation/world/simulate.ts";
import { applyShop, shopScenario } from "../../support/simulation/simulated-shop.ts";
import type { Exam } from "../defects/exam.ts";
import { operators, writeManifests } from "../defects/write-manifests.ts";

// Prints a line for each seed, for as many as the argument says: the hash of the traces of its undisturbed and its disturbed run.
// Operators take turns: a plain one, one with schedules and another system, one with pods.

const given = applyShop("c", { size: 4 });
const shop = { ...shopScenario(), objects: given.do === "apply" ? [given.object] : [] };
const makers = [() => shop, await makerOf("backup"), await makerOf("ensemble")];
for (let seed = 0; seed < Number(process.argv[2]); seed++) {
  const scenario = { ...makers[seed % makers.length]!(seed), seed };
  const plain = await simulate(scenario);
  const faults = drawFaults(new Random(seed), plain, scenario.operators, seed);
  const disturbed = await simulateDisturbed({ ...scenario, faults }, plain);
  console.log(hashOf(plain, disturbed));
}

async function makerOf(operator: string): Promise<(seed: number) => Scenario> {
  const folder = await writeManifests(operator);
  try {
    const { exam } = (await import(join(operators, operator, "exam.ts"))) as { exam: Exam };
    const { setup } = (await import(join(operators, operator, "controller.ts"))) as {
      setup: (manager: Manager) => void;
    };
    const { make } = await projectScenario({ ...exam.world?.(), kind: exam.kind, setup, folder });
    return (seed) => make(new Random(seed), seed);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function hashOf(...runs: readonly Run[]): string {
  return createHash("sha256")
    .update(JSON.stringify(runs.map(({ trace }) => trace)))
    .digest("hex");
}
